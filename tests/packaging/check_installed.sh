#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Cleave into an empty folder, checks the files, builds projects in another folder against it, by CMake and by
# pkg-config, and runs them.
# Called as: check_installed.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/installed
cmake --install "$build" --prefix "$prefix" >/dev/null
"$source/tests/packaging/check_files.sh" "$prefix" "$source"
cp -r "$source/tests/installed" "$work/project"

# configure FOLDER ARGUMENTS...: for the project in the folder $work/FOLDER.
configure() {
  local folder=$1
  shift
  cmake -S "$work/project" -B "$work/$folder" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_PREFIX_PATH="$prefix" "$@" >"$work/$folder.log" 2>&1
}

echo "an unknown component is refused with a sentence"
if configure unknown "-DCOMPONENTS=skeleton;engine"; then
  echo "error: the component 'engine' was found" >&2
  exit 1
fi
tr -s ' \n' ' ' <"$work/unknown.log" |
  grep -q "cleave has no component 'engine'; it has trace, skeleton, program"

echo "the component program does not do without CLI11"
if configure no_cli11 "-DCOMPONENTS=program" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON; then
  echo "error: it was found" >&2
  exit 1
fi
grep -q CLI11 "$work/no_cli11.log"

echo "the skeleton alone looks for nothing but fmt, nlohmann_json, hwloc, Boost and MPI"
disabled=()
for package in CLI11 Eigen3 OpenSSL PkgConfig GTest benchmark; do
  disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
configure skeleton -DCOMPONENTS=skeleton "${disabled[@]}" || { cat "$work/skeleton.log"; exit 1; }
cmake --build "$work/skeleton"
"$mpiexec" -n 3 "$work/skeleton/mergesort"

echo "the component program"
configure program "-DCOMPONENTS=skeleton;program" || { cat "$work/program.log"; exit 1; }
cmake --build "$work/program" --target maximum
"$mpiexec" -n 2 "$work/program/maximum" --size N=1K --repetitions 1 --verify

echo "the applications"
cp -r "$source/apps" "$work/apps"
cmake -S "$work/apps" -B "$work/applications" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/applications" --target cleave-quicksort cleave-components cleave-uts cleave-flowshop cleave-spacetree
"$mpiexec" -n 2 "$work/applications/quicksort/cleave-quicksort" --size N=1K --repetitions 1 --verify

echo "pkg-config"
export PKG_CONFIG_PATH=
for folder in "$prefix"/lib/pkgconfig "$prefix"/lib/*/pkgconfig "$prefix"/lib64/pkgconfig; do
  [ ! -e "$folder/cleave-skeleton.pc" ] || PKG_CONFIG_PATH=$folder
done
for name in cleave-skeleton cleave-program; do
  [ "$(pkg-config --modversion "$name")" = "$(sed -nE 's/^project\(cleave VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")" ]
done
read -ra flags <<<"${CXXFLAGS-} $(pkg-config --static --cflags --libs cleave-skeleton)"
g++ -std=c++20 "$work/project/mergesort.cpp" "${flags[@]}" -o "$work/mergesort"
"$mpiexec" -n 2 "$work/mergesort"
read -ra flags <<<"${CXXFLAGS-} $(pkg-config --static --cflags --libs cleave-program)"
g++ -std=c++20 "$work/project/maximum.cpp" "${flags[@]}" -o "$work/maximum"
"$mpiexec" -n 2 "$work/maximum" --size N=1K --repetitions 1 --verify
