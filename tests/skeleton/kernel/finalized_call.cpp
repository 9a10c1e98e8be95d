// SPDX-License-Identifier: Apache-2.0
// A call before MPI_Init or after MPI_Finalize is refused in one line. Ends with status 0 if so.
#include <iostream>
#include <string>

#include <cleave/dc_call.hpp>

#include "tests/skeleton/examples.hpp"

namespace {

bool is_refused(const std::string& when) {
  std::string refusal = "none";
  try {
    cleave::DC_Call(cleave::DC_Type::hypercube, cleave::examples::Mergesort{}, {3, 1, 2},
                    {.comm = MPI_COMM_WORLD});
  } catch (const cleave::Error& error) {
    refusal = error.what();
  }
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
  cleave::DC_Call(cleave::DC_Type::hypercube, cleave::examples::Mergesort{}, {3, 1, 2},
                  {.comm = MPI_COMM_WORLD});
  MPI_Finalize();
  return before && is_refused("after MPI_Finalize") ? 0 : 1;
}
