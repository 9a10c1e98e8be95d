#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the skeleton and its tests under MPI with this MPI library and this compiler, and runs them on 1, 2 and 3
# ranks. A build of all, by the presets openmpi, clang and clang-openmpi, runs all tests.
# Called as: check_mpi.sh SOURCE_FOLDER mpich|openmpi COMPILER
set -euo pipefail
cd "$1"
mpi=$2
export OMPI_CXX=$3 MPICH_CXX=$3
for tool in mpicxx.$mpi mpiexec.$mpi "$3"; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
# More ranks than cores, and root in a container: allowed for these tests alone.
export OMPI_MCA_plm=isolated  # starts ranks here, and needs no ssh
export GTEST_COLOR=no OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
timeout 60 mpiexec.$mpi -n 3 true || { echo "skipped: mpiexec.$mpi starts nothing on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=(tests/skeleton/comm/comm_test.cpp tests/skeleton/kernel/dc_call_test.cpp tests/skeleton/kernel/bag_test.cpp)
source tests/packaging/compile_skeleton
compile_skeleton "$work" "mpicxx.$mpi -Wall -Werror -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX" "${tests[@]}"
failed=0
for test in "${tests[@]}"; do
  mpicxx.$mpi "$work"/skeleton_*.o "$work/tests_mpi_main.cpp.o" "$work/$(object_of "$test")" -lgtest -lfmt -lhwloc -lpthread -o "$work/test"
  for ranks in 1 2 3; do
    timeout 120 mpiexec.$mpi -n $ranks "$work/test" >"$work/log" 2>&1 || { cat "$work/log"; failed=1; }
    echo "$test on $ranks ranks: $(grep -E '^\[  (PASSED|FAILED)' "$work/log" | head -1)"
  done
done
exit $failed
