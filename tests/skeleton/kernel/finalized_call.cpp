// SPDX-License-Identifier: Apache-2.0
// A call before MPI_Init or after MPI_Finalize is refused in one line, and a bag may outlive
// its communicator and MPI. Ends with status 0 if so.
#include <iostream>
#include <string>

#include <cleave/bag.hpp>
#include <cleave/dc_call.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/support/message_of.hpp"

namespace {

void sort() {
  cleave::DC_Call(cleave::DC_Type::hypercube, cleave::examples::Mergesort{}, {3, 1, 2},
                  {.comm = MPI_COMM_WORLD});
}

bool is_refused(const std::string& when) {
  const std::string refusal = cleave::testing::message_of(sort);
  const bool is_right =
      refusal == "MPI is not running: call DC_Call between MPI_Init and MPI_Finalize";
  if (!is_right) {
    std::cerr << when << ": " << refusal << std::endl;
  }
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const bool before = is_refused("before MPI_Init");
  MPI_Init(&argc, &argv);
  sort();
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  cleave::Bag<int> bag{cleave::Comm(copy)};
  bag.take(0);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return before && is_refused("after MPI_Finalize") ? 0 : 1;
}
