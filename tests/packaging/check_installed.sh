#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Cleave into an empty folder, checks the files, builds projects in another folder against it,
# runs them, and checks that the README shows the very program that was run.
# Called as: check_installed.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
"$source/tests/packaging/check_files.sh" "$work/installed" "$source"
"$source/tests/packaging/check_prefix.sh" "$work/installed" "$source" "$mpiexec"
echo "the installed package works"

sed -n '/README: begin/,/README: end/p' "$source/tests/installed/mergesort.cpp" | sed '1d;$d' >"$work/shown"
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$source/README.md" >"$work/readme"
diff "$work/shown" "$work/readme"
echo "the README shows the program that ran"
