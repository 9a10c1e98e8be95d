#!/usr/bin/env bash
# Installs Cleave into an empty folder, builds a project in another folder against it, runs that at 3
# ranks, and checks that the README shows the very program that was run.
# Called as: check_installed.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
cp -r "$source/tests/installed" "$work/project"
cmake -S "$work/project" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/build" >/dev/null
"$mpiexec" -n 3 "$work/build/mergesort"
echo "the installed package works"

sed -n '/README: begin/,/README: end/p' "$source/tests/installed/mergesort.cpp" | sed '1d;$d' >"$work/shown"
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$source/README.md" >"$work/readme"
diff "$work/shown" "$work/readme"
echo "the README shows the program that ran"
