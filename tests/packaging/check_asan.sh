#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the skeleton on 1, 2 and 3 ranks under the address and the undefined-behaviour sanitizer. All
# other tests run under them with the preset asan.
# Called as: check_asan.sh SOURCE_FOLDER MPICXX MPIEXEC
set -euo pipefail
cd "$1"
mpicxx=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
echo 'int main() { return 0; }' >"$work/none.cpp"
c++ $flags "$work/none.cpp" -o "$work/none" 2>/dev/null && "$work/none" || { echo "skipped: no address sanitizer"; exit 77; }

tests=(tests/skeleton/comm/comm_test.cpp tests/skeleton/kernel/split_parts_test.cpp tests/skeleton/kernel/search_test.cpp)
source tests/packaging/compile_skeleton
compile_skeleton "$work" "$mpicxx -g1 $flags" "${tests[@]}"

# What MPI keeps to the end is no leak of ours, and its hooks of the allocator do not go with the sanitizer's.
export GTEST_COLOR=no UCX_MEM_EVENTS=no ASAN_OPTIONS=detect_leaks=0
for test in "${tests[@]}"; do
  "$mpicxx" $flags "$work"/skeleton_*.o "$work/tests_mpi_main.cpp.o" "$work/$(object_of "$test")" -lgtest -lfmt -lhwloc -lpthread -o "$work/test"
  for ranks in 1 2 3; do
    "$mpiexec" -n $ranks "$work/test" >"$work/log" 2>&1 || { cat "$work/log"; echo "$test on $ranks ranks: failed"; exit 1; }
    echo "$test on $ranks ranks: $(grep -m1 -E '^\[  PASSED' "$work/log")"
  done
done
