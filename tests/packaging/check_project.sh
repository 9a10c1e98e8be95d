#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a project by `cleave new` in an empty folder and runs the commands that this prints, against an installed
# Cleave: to build, test, run, study and predict. Then runs the project on 1, 2 and 3 ranks.
# Called as: check_project.sh FORM BUILD_FOLDER MPIEXEC
set -euo pipefail
form=$1 build=$2 mpiexec=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
cd "$work"
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$mpiexec" >bin/mpiexec
chmod +x bin/mpiexec
export PATH="$work/installed/bin:$work/bin:$PATH" CMAKE_PREFIX_PATH="$work/installed" CMAKE_GENERATOR=Ninja
export CXXFLAGS="${CXXFLAGS-} -Wall -Wextra -Werror"
cleave new my-project --form "$form" | tee next
sed -n 's/^  //p' next >commands
test "$(wc -l <commands)" -eq 6
sed -n 's/^  \(cleave.*\)/\1/p' next | while read -r command; do
  grep -qF "$command" my-project/README.md || { echo "README.md has another command than: $command"; exit 1; }
done
bash -euxo pipefail commands
cp -r "$(dirname "$0")/../../cmake/packaging/validation" .
(cd validation && ./compile.sh && ./run.sh && ./clean.sh)
cd my-project

[ "$form" = search ] && size=N=8 || size=N=10000
for ranks in 1 2 3; do
  "$mpiexec" -n "$ranks" build/my-project --size "$size" --repetitions 2 --verify --json >result
  cat result
  grep -q '"verified":true' result
done
for field in '"format":"cleave-program"' '"version":2' '"name":"my-project"'; do
  build/my-project --describe | grep -qE "^\{(.*,)?$field[,}]"
done
echo "the project works"
