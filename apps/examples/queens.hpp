// SPDX-License-Identifier: Apache-2.0
// In how many ways can n queens be placed on a board of n rows so that none attacks another? Each
// level of the tree places one queen; attacked columns are bits of a word (Richards 1997).
#pragma once

#include <cstdint>

#include <cleave/tree_search.hpp>

struct Board {                // with queens on the first rows
  std::uint32_t all = 0;      // a bit for each column
  std::uint32_t columns = 0;  // those with a queen
  std::uint32_t left = 0;     // those that a diagonal to the left attacks in the next row
  std::uint32_t right = 0;
};

struct Count {
  std::int64_t nodes = 0;  // boards
  std::int64_t solutions = 0;
  bool operator==(const Count&) const = default;
};

struct Queens {
  using Problem = Board;
  using Solution = Count;

  void visit(Board board, cleave::Children<Board>& children, Count& total) const {
    ++total.nodes;
    total.solutions += board.columns == board.all;
    std::uint32_t free = board.all & ~(board.columns | board.left | board.right);
    for (; free != 0; free &= free - 1) {
      const std::uint32_t queen = free & -free;  // in the lowest free column
      children.push({.all = board.all,
                     .columns = board.columns | queen,
                     .left = (board.left | queen) << 1,
                     .right = (board.right | queen) >> 1});
    }
  }
  Count combine(Count left, Count right) const {
    return {left.nodes + right.nodes, left.solutions + right.solutions};
  }
  cleave::Sizes solution_sizes(Count total) const { return {{"nodes", total.nodes}}; }
};
