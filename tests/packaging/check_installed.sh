#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Cleave into an empty folder, checks the files, builds projects in another folder against it
# and runs them.
# Called as: check_installed.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
"$source/tests/packaging/check_files.sh" "$work/installed" "$source"
"$source/tests/packaging/check_prefix.sh" "$work/installed" "$source" "$mpiexec"
echo "the installed package works"
