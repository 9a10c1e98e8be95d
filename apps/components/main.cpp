// SPDX-License-Identifier: Apache-2.0
// cleave-components: finds the connected components of a graph.
#include "apps/components/components_program.hpp"

int main(int argc, char** argv) {
  return cleave::run<cleave::components::ComponentsProgram>(argc, argv);
}
