#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a project by `cleave new` in an empty folder, builds it against an installed Cleave, runs its
# test, and runs it on 1, 2 and 3 ranks.
# Called as: check_project.sh FORM BUILD_FOLDER CLEAVE MPIEXEC CXX_FLAGS
set -euo pipefail
form=$1 build=$2 cleave=$3 mpiexec=$4 flags=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
cd "$work"
"$cleave" new my-project --form "$form" >next
cmake -S my-project -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$work/installed" \
  "-DCMAKE_CXX_FLAGS=$flags -Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS_DEBUG=-O1 >configured || {
  cat configured
  exit 1
}
cmake --build build >built || {
  cat built
  exit 1
}
ctest --test-dir build --output-on-failure --no-tests=error

case $form in
search) size=N=8 ;;
bound) size=N=20 ;;
*) size=N=10000 ;;
esac
for ranks in 1 2 3; do
  "$mpiexec" -n "$ranks" build/my-project --size "$size" --repetitions 2 --verify --json >result
  cat result
  grep -q '"verified":true' result
done
build/my-project --describe | grep -q '^{"format":"cleave-program","version":1,"name":"my-project",'
echo "the project works"
