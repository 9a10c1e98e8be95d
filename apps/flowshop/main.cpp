// SPDX-License-Identifier: Apache-2.0
// cleave-flowshop: the permutation with the least makespan, by branch-and-bound.
#include "apps/flowshop/flowshop_program.hpp"

int main(int argc, char** argv) {
  return cleave::run<cleave::flowshop::FlowshopProgram>(argc, argv);
}
