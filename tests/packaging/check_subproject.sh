#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a project that has Cleave by add_subdirectory, with nothing but the skeleton, and runs it.
# Called as: check_subproject.sh SOURCE_FOLDER MPIEXEC
set -euo pipefail
source=$1 mpiexec=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

disabled=()
for package in CLI11 Eigen3 OpenSSL PkgConfig GTest benchmark; do
  disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
cmake -S "$source/tests/installed/subproject" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_UNITY_BUILD=ON \
  -DCLEAVE_SOURCE="$source" "${disabled[@]}" >/dev/null
cmake --build "$work/build" --target mergesort
"$mpiexec" -n 2 "$work/build/mergesort"

cmake --install "$work/build" --prefix "$work/installed" >/dev/null
if [ -n "$(find "$work/installed" -type f 2>/dev/null)" ]; then
  echo "error: Cleave is installed with another project" >&2
  exit 1
fi
