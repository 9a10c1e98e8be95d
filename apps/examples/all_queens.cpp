// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/all_queens.hpp"

#include <cleave/program.hpp>

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<AllQueens>{
                         .summary = "Lists the ways to place N queens.",
                         .sizes = {{"N", 11, 26}},
                         .make_problem =
                             [](const cleave::NamedSizes& sizes, std::uint64_t) {
                               return Placed{.board = {.all = (1U << sizes.at("N")) - 1},
                                             .columns = {}};
                             },
                         .figures = [](const Placements& total) -> cleave::Figures {
                           const std::string none;
                           return {{"solutions", total.all.size()},
                                   {"first", total.all.empty() ? none : *total.all.begin()},
                                   {"last", total.all.empty() ? none : *total.all.rbegin()}};
                         },
                     });
}
