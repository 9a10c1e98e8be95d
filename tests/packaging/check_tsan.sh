#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of deques and bags, and searches by several threads of one rank, under the thread sanitizer.
# Called as: check_tsan.sh SOURCE_FOLDER MPICXX MPIEXEC
set -euo pipefail
cd "$1"
mpicxx=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main() { return 0; }' >"$work/none.cpp"
# The sanitizer wants addresses that are not spread too far.
fixed=()
if setarch -R true 2>/dev/null; then
  fixed=(setarch -R)
fi
c++ -fsanitize=thread "$work/none.cpp" -o "$work/none" 2>/dev/null && "${fixed[@]}" "$work/none" || { echo "skipped: no thread sanitizer"; exit 77; }

rooms=tests/skeleton
source tests/packaging/compile_skeleton
compile_skeleton "$work" "$mpicxx -g1 -fsanitize=thread -Wno-tsan" $rooms/contract/split_deque_test.cpp $rooms/stealing/{bag,deques,search}_test.cpp

# What MPI itself does is not instrumented, and its hooks of the allocator do not go with the sanitizer's.
echo "called_from_lib:libmpich.so" >"$work/suppressions"
export GTEST_COLOR=no UCX_MEM_EVENTS=no TSAN_OPTIONS="suppressions=$work/suppressions halt_on_error=1"
run() {
  local name=$1
  shift
  "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "$name: failed"; exit 1; }
  echo "$name: $(grep -E '^\[  PASSED' "$work/log")"
}
for name in stealing/deques contract/split_deque; do
  "$mpicxx" -fsanitize=thread "$work"/skeleton_*.o "$work/$(object_of $rooms/${name}_test.cpp)" \
    -lgtest_main -lgtest -lfmt -lhwloc -lpthread -o "$work/test"
  run $name "${fixed[@]}" "$work/test"
done
for name in stealing/bag stealing/search; do
  "$mpicxx" -fsanitize=thread "$work"/skeleton_*.o "$work/tests_mpi_main.cpp.o" "$work/$(object_of $rooms/${name}_test.cpp)" \
    -lgtest -lfmt -lhwloc -lpthread -o "$work/test"
  run $name "$mpiexec" -n 1 "${fixed[@]}" "$work/test"
done
