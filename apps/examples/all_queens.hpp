// SPDX-License-Identifier: Apache-2.0
// All solutions in a fixed order: the ways to place n queens, as a letter for the column of each
// row. Who finds a solution, and when, is not determined. A set has its order all the same, and
// `combine` merges two.
#pragma once

#include <bit>
#include <cstdint>
#include <set>
#include <string>

#include <cleave/tree_search.hpp>

#include "apps/examples/queens.hpp"

struct Placed {
  Board board;
  std::string columns;  // of the queens that are placed
};

struct Placements {
  std::int64_t nodes = 0;
  std::set<std::string> all;
  bool operator==(const Placements&) const = default;
};

struct AllQueens {
  using Problem = Placed;
  using Solution = Placements;

  void visit(Placed placed, cleave::Children<Placed>& children, Placements& total) const {
    ++total.nodes;
    const Board& board = placed.board;
    if (board.columns == board.all) {
      total.all.insert(std::move(placed.columns));
      return;
    }
    std::uint32_t free = board.all & ~(board.columns | board.left | board.right);
    for (; free != 0; free &= free - 1) {
      const std::uint32_t queen = free & -free;  // in the lowest free column
      children.push({.board = {.all = board.all,
                               .columns = board.columns | queen,
                               .left = (board.left | queen) << 1,
                               .right = (board.right | queen) >> 1},
                     .columns = placed.columns + static_cast<char>('a' + std::countr_zero(queen))});
    }
  }
  Placements combine(Placements left, Placements right) const {
    left.all.merge(right.all);
    return {left.nodes + right.nodes, std::move(left.all)};
  }
  cleave::Sizes solution_sizes(const Placements& total) const { return {{"nodes", total.nodes}}; }
};
