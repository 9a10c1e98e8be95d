// The n queens problem: in how many ways do n queens stand on n rows so that none attacks another?
// The columns that queens attack are bits (Richards, Backtracking algorithms in MCPL, 1997).
#pragma once

#include <cstdint>

#include <cleave/program.hpp>

struct Board {            // with queens on the first rows; of the next row are attacked
  std::uint32_t all;      // its columns
  std::uint32_t columns;  // those below a queen
  std::uint32_t left;     // those to the left of one, on a diagonal
  std::uint32_t right;
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

  static constexpr std::string_view kSummary = "Counts the ways to place N queens.";
  static constexpr cleave::SizeOption kSizes[] = {{"N", 13, 31}};
  Board make_problem(const cleave::NamedSizes& sizes, std::uint64_t /*seed*/) const {
    return {.all = (1U << sizes.at("N")) - 1};
  }
  cleave::Figures figures(Count total) const { return {{"solutions", total.solutions}}; }
};
