// SPDX-License-Identifier: Apache-2.0
// Domineering on a board of N x N: Vertical and Horizontal lay dominoes in turn, and whoever has no
// room for another one loses. Counts the first moves by which Vertical wins. Search with a table of
// positions (D. M. Breuker, J. W. H. M. Uiterwijk and H. J. van den Herik, "Solving 8x8
// Domineering", Theoretical Computer Science 230, 2000), whose values for boards up to 8 x 8 are
// compared. Shown: a table that each thread keeps from one problem to the next, its Worker.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>

namespace {

using Squares = std::uint64_t;  // row by row, without a gap

struct Board {
  Squares taken = 0;
  std::int32_t n = 0;
  std::int32_t moves = 0;  // Vertical is next where they are even

  // Where dominoes of that step to their other square fit: their upper or left squares.
  Squares fits(int step) const {
    const Squares free = ~taken & ~Squares{0} >> (64 - n * n);
    Squares fits = free & free >> step;
    for (int row = 1; step == 1 && row <= n; ++row) fits &= ~(Squares{1} << (row * n - 1));
    return fits;
  }
  int step() const { return moves % 2 == 0 ? n : 1; }  // of who moves next
  Board after(Squares first) const { return {taken | first | first << step(), n, moves + 1}; }
};

// How many dominoes fit at once.
int count(Squares fits, int step) {
  int number = 0;
  for (; fits != 0; ++number) fits &= ~(fits & -fits) & ~((fits & -fits) << step);
  return number;
}
// How many of them the other's dominoes cannot touch.
int safe(Squares fits, int step, Squares others, int other_step) {
  const Squares touched = others | others << other_step;
  return count(fits & ~touched & ~(touched >> step), step);
}

struct Wins {
  std::int64_t wins = 0;  // of Vertical, by its first move
  std::int64_t positions = 0;
};

struct Domineering {
  using Problem = Board;
  using Solution = Wins;
  struct Worker {
    using Entry = std::pair<Squares, bool>;  // squares that are taken, whether the next one wins
    std::vector<Entry> table = std::vector<Entry>(1 << 20);
  };
  bool trivial(const Board& board) const { return board.moves > 0 || board.n < 2; }
  std::vector<Board> divide(const Board& board) const {
    std::vector<Board> next;
    for (Squares left = board.fits(board.step()); left != 0; left &= left - 1) {
      next.push_back(board.after(left & -left));
    }
    return next;
  }
  Wins conquer(const Board& board, Worker& worker) const {
    Wins found;
    found.wins = board.moves > 0 && !wins(board, worker, found.positions) ? 1 : 0;
    return found;
  }
  Wins combine(Wins a, Wins b) const { return {a.wins + b.wins, a.positions + b.positions}; }
  cleave::Sizes solution_sizes(const Wins& wins) const { return {{"positions", wins.positions}}; }

 private:
  // Whether the one who moves next wins.
  static bool wins(const Board& board, Worker& worker, std::int64_t& positions) {
    ++positions;
    const int step = board.step(), other_step = board.n + 1 - step;
    const Squares mine = board.fits(step), others = board.fits(other_step);
    if (safe(mine, step, others, other_step) > count(others, other_step)) return true;
    if (safe(others, other_step, mine, step) >= count(mine, step)) return false;
    Worker::Entry& entry = worker.table[board.taken * 0x9E3779B97F4A7C15U >> 44];
    if (entry.first == board.taken) return entry.second;
    std::array<std::pair<int, Squares>, 64> moves;  // the best ones first
    auto end = moves.begin();
    for (Squares left = mine; left != 0; left &= left - 1) {
      const Board next = board.after(left & -left);
      const int worse = std::popcount(next.fits(other_step)) - std::popcount(next.fits(step));
      *end++ = {worse, left & -left};
    }
    std::sort(moves.begin(), end);
    bool is_won = false;
    for (auto* at = moves.begin(); at != end && !is_won; ++at) {
      is_won = !wins(board.after(at->second), worker, positions);
    }
    entry = {board.taken, is_won};
    return is_won;
  }
};

cleave::Figures figures(const Wins& all) { return {{"winning", all.wins}}; }

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<Domineering>{
          .summary = "Counts the first moves that win Domineering.",
          .sizes = {{"N", 6, 8}},
          .make_problem =
              [](const cleave::NamedSizes& sizes, std::uint64_t) {
                return Board{.n = static_cast<std::int32_t>(sizes.at("N"))};
              },
          .is_generated = [] { return false; },
          .wrong = [](const Board& board, const Wins& found) -> std::optional<std::string> {
            if ((found.wins > 0) == (board.n != 1 && board.n != 5)) return std::nullopt;
            return "the other player wins";
          },
          .figures = figures,
      });
}
