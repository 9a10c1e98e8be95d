// SPDX-License-Identifier: Apache-2.0
// Counts beyond 32 bits, for real: `many_nodes HEIGHT` counts the nodes of a tree in which every
// inner node has three children. Prints one line of JSON.
#include <fmt/format.h>

#include <cstdint>

#include <cleave/dc_call.hpp>
#include <cleave/program/mpi_program.hpp>

namespace {

struct Ternary {
  using Problem = std::int32_t;  // height
  using Solution = std::int64_t;

  void visit(std::int32_t height, cleave::Children<std::int32_t>& children,
             std::int64_t& nodes) const {
    ++nodes;
    for (std::int32_t& child : children.append(height == 0 ? 0 : 3)) {
      child = height - 1;
    }
  }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

}  // namespace

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(argc, argv, "many_nodes", [&](const cleave::Comm& world) {
    const int height = argc == 2 ? std::stoi(argv[1]) : 12;
    std::int64_t expected = 1;
    for (int level = 0; level < height; ++level) {
      expected = 3 * expected + 1;
    }
    const std::int64_t nodes = cleave::DC_Call(cleave::DC_Type::work_stealing, Ternary{}, height,
                                               {.comm = world.handle()});
    if (world.rank() == 0) {
      fmt::print("{{\"nodes\":{},\"verified\":{}}}\n", nodes, nodes == expected);
    }
  });
}
