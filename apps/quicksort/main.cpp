// SPDX-License-Identifier: Apache-2.0
// cleave-quicksort: sorts keys that are generated or in a file, and writes them to another.
#include "apps/quicksort/quicksort_program.hpp"

int main(int argc, char** argv) {
  return cleave::run<cleave::quicksort::QuicksortProgram>(argc, argv);
}
