// SPDX-License-Identifier: Apache-2.0
// cleave-uts: counts the nodes of an unbalanced tree.
#include "apps/uts/uts_program.hpp"

int main(int argc, char** argv) { return cleave::run<cleave::uts::UtsProgram>(argc, argv); }
