#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has reprotest build all Debian packages twice, in folders, environments, locales and time zones and on numbers of
# processors that differ, and compare them bit for bit. The umask is one, since CPack writes it into the heads of a
# package. The programs are optimised less than in a release, which takes half the time. Exits with 77 where there is no
# reprotest.
# Called as: check_reproducible.sh SOURCE_FOLDER [OPTION OF CMAKE...]
set -euo pipefail
source=$1
shift
command -v reprotest >/dev/null || { echo "skipped: reprotest is not installed"; exit 77; }
[ -e "$source/.git" ] || { echo "skipped: not a git working tree"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source"
git -C "$source" archive HEAD | tar -x -C "$work/source"

# A cache of objects would have one compiled, and compare it with itself.
build="export CCACHE_DISABLE=1 SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct) &&
  cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
    '-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG' -DCLEAVE_TESTS=OFF ${*@Q} &&
  cmake --build out --target package"
cd "$work"
reprotest --vary=-all,+build_path,+environment,+home,+locales,+timezone,+exec_path,+num_cpus,+aslr \
  --no-diffoscope --store-dir "$work/store" --source-root source "$(tr '\n' ' ' <<<"$build")" 'out/*.deb'
