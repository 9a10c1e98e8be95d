// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/queens.hpp"

#include <cleave/program.hpp>

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<Queens>{
          .summary = "Counts the ways to place N queens.",
          .sizes = {{"N", 14, 31}},
          .make_problem = [](const cleave::NamedSizes& sizes,
                             std::uint64_t) { return Board{.all = (1U << sizes.at("N")) - 1}; },
          .figures = [](const Count& total) -> cleave::Figures {
            return {{"solutions", total.solutions}};
          },
      });
}
