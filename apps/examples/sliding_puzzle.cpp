// SPDX-License-Identifier: Apache-2.0
// The least number of moves that solve a sliding puzzle of 3 x 3 cells, by iterative deepening:
// depth-first searches for solutions of no more moves than a bound, which grows from one to the
// next (Korf, "Depth-first iterative-deepening", Artificial Intelligence 27, 1985).
//
// Such a search is no `visit`: its first solution ends it, and what it has cut off bounds the next
// one. So threads written by hand take boards from a bag (docs/reference/bag.md).
//
//   mpiexec -n 4 example-sliding-puzzle 8 6 7 2 5 4 3 0 1   (0 is the gap; prints 31)
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <cleave/bag.hpp>

namespace {

constexpr int kSide = 3;
constexpr int kCells = kSide * kSide;
constexpr int kWorkers = 2;  ///< threads of each rank
constexpr int kNone = std::numeric_limits<int>::max();

struct Board {
  std::array<int, kCells> tiles{};  ///< tile t belongs to cell t - 1, the gap (0) to the last one
  int gap = 0;                      ///< its cell
  int last_gap = -1;                ///< before the last move
  int moves = 0;
};

int distance(int cell, int other) {
  return std::abs(cell / kSide - other / kSide) + std::abs(cell % kSide - other % kSide);
}

/// Moves that are needed at least: those of each tile to its cell if no other were in the way.
int moves_left(const Board& board) {
  int moves = 0;
  for (int cell = 0; cell < kCells; ++cell) {
    const int tile = board.tiles[cell];
    moves += tile == 0 ? 0 : distance(cell, tile - 1);
  }
  return moves;
}

/// Half of all boards can be solved: those that an even number of swaps of two tiles sorts, if each
/// move of the gap is one.
bool can_be_solved(const Board& board) {
  int swaps = distance(board.gap, kCells - 1);
  for (int cell = 0; cell < kCells; ++cell) {
    for (int before = 0; before < cell; ++before) {
      const bool is_sorted = board.tiles[cell] == 0 ||
                             (board.tiles[before] != 0 && board.tiles[before] < board.tiles[cell]);
      swaps += is_sorted ? 0 : 1;
    }
  }
  return swaps % 2 == 0;
}

/// One worker's part in the search for a solution of `bound` moves.
/// \return  the fewest moves that a board which was cut off needs at least
int deepen(cleave::Bag<Board>& bag, int worker, int bound) {
  int next_bound = kNone;
  while (const std::optional<Board> board = bag.take(worker)) {
    for (int cell = 0; cell < kCells; ++cell) {
      if (distance(cell, board->gap) != 1 || cell == board->last_gap) {
        continue;
      }
      Board next{board->tiles, cell, board->gap, board->moves + 1};
      std::swap(next.tiles[cell], next.tiles[board->gap]);
      const int left = moves_left(next);
      if (next.moves + left > bound) {
        next_bound = std::min(next_bound, next.moves + left);
      } else if (left > 0) {
        bag.add(worker, next);
      } else {
        bag.stop();
      }
    }
  }
  return next_bound;
}

/// \pre  can_be_solved(start)
int least_moves(const cleave::Comm& comm, const Board& start) {
  int bound = moves_left(start);
  cleave::Bag<Board> bag(comm, {.workers = kWorkers});
  while (bound > 0) {
    if (comm.rank() == 0) {
      bag.add(0, start);
    }
    std::array<int, kWorkers> next_bounds{};
    std::vector<std::thread> threads;
    for (int worker = 1; worker < kWorkers; ++worker) {
      threads.emplace_back([&, worker] { next_bounds[worker] = deepen(bag, worker, bound); });
    }
    next_bounds[0] = deepen(bag, 0, bound);
    for (std::thread& thread : threads) {
      thread.join();
    }
    if (bag.is_stopped()) {
      return bound;
    }
    bound = static_cast<int>(comm.allreduce_min(*std::ranges::min_element(next_bounds)));
    bag.restart();
  }
  return 0;
}

std::optional<Board> board_of(const std::vector<std::string>& arguments) {
  Board board;
  for (int tile = 0; tile < kCells; ++tile) {
    const auto found = std::ranges::find(arguments, std::to_string(tile));
    if (std::ssize(arguments) != kCells || found == arguments.end()) {
      return std::nullopt;
    }
    board.tiles[found - arguments.begin()] = tile;
    board.gap = tile == 0 ? static_cast<int>(found - arguments.begin()) : board.gap;
  }
  return board;
}

/// Prints a line. \return  the status to end with
int print(const std::string& line) {
  if (std::puts(line.c_str()) >= 0 && std::fflush(stdout) == 0) {
    return 0;
  }
  fmt::print(stderr, "cannot write to standard output\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (std::ranges::find(arguments, "--help") != arguments.end()) {
    return print(
        "The least number of moves that solve a sliding puzzle.\n"
        "Usage: mpiexec -n 4 example-sliding-puzzle 8 6 7 2 5 4 3 0 1   (0 is the gap)");
  }
  const std::optional<Board> board = board_of(arguments);
  if (!board || !can_be_solved(*board)) {
    fmt::print(stderr, "{}\n",
               board ? "no moves solve this board: swap two of its tiles"
                     : "give the tiles row by row, 0 to 8 once each; 0 is the gap");
    return 2;
  }
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  try {
    const cleave::Comm comm(MPI_COMM_WORLD);
    const int moves = least_moves(comm, *board);
    if (comm.rank() == 0) {
      status = print(std::to_string(moves));
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
