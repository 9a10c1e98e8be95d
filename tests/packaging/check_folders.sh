#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the sources into a folder with blanks in its name, makes them read-only, and configures all there, in a
# build folder elsewhere whose name has a blank, too. Builds one example, runs it, and checks that the sources
# are as they were. A build of all by ./test in such a folder takes longer and shows no more.
# Called as: check_folders.sh SOURCE_FOLDER MPIEXEC
set -euo pipefail
source=$1 mpiexec=$2
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
copy="$work/some where/clea ve"
build="$work/some where/bui ld"
mkdir -p "$copy"
(cd "$source" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$copy"
chmod -R a-w "$copy"

# Root may write what is read-only: whatever is new or newer than the mark was written.
touch "$work/mark"
cmake -S "$copy" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 \
  -DCMAKE_UNITY_BUILD=ON >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$build" --target example-queens >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cd "$work/some where"
"$mpiexec" -n 2 "bui ld/bin/example-queens" --size N=6 --repetitions 1 --verify --trace "a b.trace.jsonl"
test -s "a b.trace.jsonl"
written=$(find "$copy" -newer "$work/mark")
if [ -n "$written" ]; then
  echo "error: the build writes into the sources: $written" >&2
  exit 1
fi
