// SPDX-License-Identifier: Apache-2.0
// cleave-spacetree: plans and replays how a growing tree is split onto processors.
#include <cleave/program/command_line.hpp>

#include "apps/spacetree/commands.hpp"

int main(int argc, char** argv) {
  int status = 0;
  const int failure = cleave::detail::run_alone(
      "cleave-spacetree", [&] { status = cleave::spacetree::run(argc, argv); });
  return failure != 0 ? failure : status;
}
