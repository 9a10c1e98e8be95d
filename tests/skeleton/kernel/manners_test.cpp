// SPDX-License-Identifier: Apache-2.0
// What a library owes to the program that it is in: a call that is given another communicator does
// nothing on MPI_COMM_WORLD, and writes nothing. MPI's functions are those of PMPI, watched.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <cleave/dc_call.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/kernel/trees.hpp"

namespace {
bool in_call = false;
std::string on_world;  // functions that were called with MPI_COMM_WORLD
}  // namespace

// WATCH(NAME, PARAMETERS, ARGUMENTS): MPI_NAME, whose communicator is called c.
#define WATCH(name, parameters, arguments)                   \
  extern "C" int MPI_##name parameters {                     \
    on_world += in_call && c == MPI_COMM_WORLD ? #name : ""; \
    return PMPI_##name arguments;                            \
  }
using Type = MPI_Datatype;
using Comm = MPI_Comm;
using Request = MPI_Request;
// clang-format off
WATCH(Allgather, (const void* a, int n, Type t, void* b, int m, Type u, Comm c), (a, n, t, b, m, u, c))
WATCH(Allreduce, (const void* a, void* b, int n, Type t, MPI_Op o, Comm c), (a, b, n, t, o, c))
WATCH(Barrier, (Comm c), (c)) WATCH(Ibarrier, (Comm c, Request* q), (c, q))
WATCH(Bcast, (void* a, int n, Type t, int r, Comm c), (a, n, t, r, c)) WATCH(Comm_dup, (Comm c, Comm* d), (c, d))
WATCH(Comm_get_attr, (Comm c, int k, void* v, int* f), (c, k, v, f)) WATCH(Comm_rank, (Comm c, int* r), (c, r))
WATCH(Comm_set_errhandler, (Comm c, MPI_Errhandler e), (c, e))
WATCH(Comm_set_attr, (Comm c, int k, void* v), (c, k, v)) WATCH(Comm_size, (Comm c, int* n), (c, n))
WATCH(Gather, (const void* a, int n, Type t, void* b, int m, Type u, int r, Comm c), (a, n, t, b, m, u, r, c))
WATCH(Iallreduce, (const void* a, void* b, int n, Type t, MPI_Op o, Comm c, Request* q), (a, b, n, t, o, c, q))
WATCH(Ibcast, (void* a, int n, Type t, int r, Comm c, Request* q), (a, n, t, r, c, q))
WATCH(Igather, (const void* a, int n, Type t, void* b, int m, Type u, int r, Comm c, Request* q), (a, n, t, b, m, u, r, c, q))
WATCH(Iprobe, (int s, int g, Comm c, int* f, MPI_Status* p), (s, g, c, f, p))
WATCH(Irecv, (void* a, int n, Type t, int s, int g, Comm c, Request* q), (a, n, t, s, g, c, q))
WATCH(Isend, (const void* a, int n, Type t, int d, int g, Comm c, Request* q), (a, n, t, d, g, c, q))
WATCH(Recv, (void* a, int n, Type t, int s, int g, Comm c, MPI_Status* p), (a, n, t, s, g, c, p));
// clang-format on

TEST(Manners, ACallUsesItsCommunicatorAloneAndWritesNothing) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm others = MPI_COMM_NULL;  // all ranks but 0, in another order
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &others);
  if (others == MPI_COMM_NULL) {
    return;
  }
  std::vector<int> numbers(1000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  in_call = true;
  const auto found = cleave::DC_Call(cleave::DC_Type::hypercube, cleave::examples::Mergesort{},
                                     numbers, {.comm = others});
  const auto nodes = cleave::DC_Call(cleave::DC_Type::work_stealing, cleave::examples::RandomTree{},
                                     {.number = 5}, {.comm = others, .stealing = {.threads = 2}});
  in_call = false;
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(std::ranges::is_sorted(found));
  EXPECT_GT(nodes.nodes, 1);
  EXPECT_EQ(on_world, "");
  in_call = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(on_world, "Comm_rank");
  in_call = false;
}
