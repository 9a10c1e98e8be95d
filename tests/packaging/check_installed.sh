#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Cleave into an empty folder, checks the files, and builds and runs programs in another folder: against what is
# installed, by CMake and by pkg-config, and with Cleave's sources in a folder of their project.
# Called as: check_installed.sh BUILD_FOLDER SOURCE_FOLDER MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/installed
cmake --install "$build" --prefix "$prefix" >/dev/null
"$source/tests/packaging/check_files.sh" "$prefix" "$source"
cp -r "$source/apps" "$work/apps"
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(uses_cleave LANGUAGES CXX)
if(CLEAVE_SOURCE)
  set(CLEAVE_PROGRAM OFF)
  add_subdirectory(${CLEAVE_SOURCE} cleave)
else()
  find_package(cleave 0.3 REQUIRED COMPONENTS ${COMPONENTS})
endif()
add_executable(puzzle ../apps/examples/sliding_puzzle.cpp)
target_link_libraries(puzzle PRIVATE cleave::skeleton)
END

# configure FOLDER ARGUMENTS...: of the project, in the folder $work/FOLDER.
configure() {
  cmake -S "$work/project" -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_PREFIX_PATH="$prefix" "${@:2}" >"$work/$1.log" 2>&1
}
# expect_puzzle PROGRAM: a board is solved by one move.
expect_puzzle() {
  [ "$("$mpiexec" -n 3 "$1" 1 2 3 4 5 6 7 0 8)" = 1 ]
}

echo "an unknown component is refused with a sentence"
! configure unknown "-DCOMPONENTS=skeleton;engine" || { echo "error: 'engine' was found" >&2; exit 1; }
tr -s ' \n' ' ' <"$work/unknown.log" |
  grep -q "cleave has no component 'engine'; it has trace, skeleton, program"

echo "the component program does not do without CLI11"
! configure no_cli11 "-DCOMPONENTS=program" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON || { echo "error: it was found" >&2; exit 1; }
grep -q CLI11 "$work/no_cli11.log"

echo "the skeleton alone looks for nothing but fmt, nlohmann_json, hwloc, Boost and MPI, installed or as sources"
disabled=(-DCMAKE_DISABLE_FIND_PACKAGE_{CLI11,Eigen3,OpenSSL,PkgConfig,GTest,benchmark}=ON)
for way in COMPONENTS=skeleton "CLEAVE_SOURCE=$source"; do
  folder=${way%%=*}
  configure "$folder" "-D$way" "${disabled[@]}" || { cat "$work/$folder.log"; exit 1; }
  cmake --build "$work/$folder" --target puzzle
  expect_puzzle "$work/$folder/puzzle"
done
cmake --install "$work/CLEAVE_SOURCE" --prefix "$work/nothing" >/dev/null
[ -z "$(find "$work/nothing" -type f 2>/dev/null)" ] || { echo "error: Cleave is installed with another project" >&2; exit 1; }

echo "the applications, by the component program"
cmake -S "$work/apps" -B "$work/applications" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/applications" --target cleave-quicksort cleave-components cleave-uts cleave-flowshop cleave-spacetree
"$mpiexec" -n 2 "$work/applications/quicksort/cleave-quicksort" --size N=1K --repetitions 1 --verify

echo "pkg-config"
export PKG_CONFIG_PATH=
for folder in "$prefix"/lib/pkgconfig "$prefix"/lib/*/pkgconfig "$prefix"/lib64/pkgconfig; do
  [ ! -e "$folder/cleave-skeleton.pc" ] || PKG_CONFIG_PATH=$folder
done
# compile NAME SOURCE: with the flags of NAME.
compile() {
  [ "$(pkg-config --modversion "$1")" = "$(sed -nE 's/^project\(cleave VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")" ]
  read -ra flags <<<"${CXXFLAGS-} $(pkg-config --static --cflags --libs "$1")"
  g++ -std=c++20 -I"$work" "$work/apps/examples/$2.cpp" "${flags[@]}" -o "$work/$2"
}
compile cleave-skeleton sliding_puzzle
expect_puzzle "$work/sliding_puzzle"
compile cleave-program histogram
"$mpiexec" -n 2 "$work/histogram" --size N=1K --repetitions 1 --verify
