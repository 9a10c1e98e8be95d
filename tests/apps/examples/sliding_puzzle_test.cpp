// SPDX-License-Identifier: Apache-2.0
// The sliding puzzle's program against a breadth-first search of all boards.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/run_program.hpp"

namespace cleave {
namespace {

/// Of every board that can be solved, as its tiles in a row.
std::unordered_map<std::string, int> moves_of_all_boards() {
  std::unordered_map<std::string, int> moves = {{"123456780", 0}};
  for (std::deque<std::string> boards = {"123456780"}; !boards.empty(); boards.pop_front()) {
    const std::string board = boards.front();
    const std::size_t gap = board.find('0');
    const std::vector<std::pair<bool, std::size_t>> ways = {
        {gap >= 3, gap - 3}, {gap < 6, gap + 3}, {gap % 3 > 0, gap - 1}, {gap % 3 < 2, gap + 1}};
    for (const auto& [is_there, other] : ways) {
      std::string next = board;
      if (is_there) {
        std::swap(next[gap], next[other]);
      }
      if (moves.try_emplace(next, moves.at(board) + 1).second) {
        boards.push_back(next);
      }
    }
  }
  return moves;
}

testing::Finished solve(const std::string& board, int ranks) {
  std::vector<std::string> command = {CLEAVE_MPIEXEC, "-n", std::to_string(ranks),
                                      std::string(CLEAVE_PROGRAMS) + "/example-sliding-puzzle"};
  for (const char tile : board) {
    command.emplace_back(1, tile);
  }
  return testing::run_program(command);
}

TEST(SlidingPuzzle, NeedsTheMovesThatABreadthFirstSearchFindsOnAnyRanks) {
  const auto moves = moves_of_all_boards();
  ASSERT_EQ(moves.size(), 181'440U);     // half of 9!
  ASSERT_EQ(moves.at("867254301"), 31);  // as many as any
  std::vector<std::string> boards = {"867254301", "123456780", "123456708"};
  for (const int wanted : {9, 24}) {
    boards.push_back(
        std::ranges::find(moves, wanted, [](const auto& entry) { return entry.second; })->first);
  }
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::string& board : boards) {
      const auto finished = solve(board, ranks);
      EXPECT_EQ(finished.status, 0) << finished.err;
      EXPECT_EQ(finished.out, std::to_string(moves.at(board)) + "\n") << board << ", " << ranks;
    }
  }
}

TEST(SlidingPuzzle, RefusesABoardThatNoMovesSolve) {
  const auto finished = solve("123456870", 2);
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.err.find("no moves solve this board"), std::string::npos) << finished.err;
}

TEST(SlidingPuzzle, SaysWhatABoardIs) {
  for (const std::string board : {"12345678", "112345678", "1234567890"}) {
    const auto finished = solve(board, 1);
    EXPECT_EQ(finished.status, 2);
    EXPECT_NE(finished.err.find("0 to 8 once each"), std::string::npos) << finished.err;
  }
}

}  // namespace
}  // namespace cleave
