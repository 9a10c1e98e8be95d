// SPDX-License-Identifier: Apache-2.0
// Langford's problem: the numbers 1, 1, 2, 2, ... N, N in a row so that k others are between the
// two k (C. D. Langford, Mathematical Gazette 42, 1958). A row exists if and only if N or N + 1 is
// a multiple of 4 (R. O. Davies, "On Langford's problem (II)", Mathematical Gazette 43, 1959).
// Shown: a decision, whose first answer ends the search.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <cleave/program.hpp>

namespace {

struct Row {
  std::array<std::int8_t, 64> numbers{};  // 0: free
  std::int32_t size = 0;                  // 2 N
  std::int32_t next = 0;                  // number to be placed: the largest first
};

struct Found {
  std::int64_t nodes = 0;  // not determined where there is a row
  bool is_found = false;
  Row row{};
};

struct Langford {
  using Problem = Row;
  using Solution = Found;

  void visit(const Row& row, cleave::Children<Row>& children, Found& total) const {
    ++total.nodes;
    if (row.next == 0) {
      total.is_found = true;
      total.row = row;
      children.stop();
      return;
    }
    for (int first = 0, last = row.next + 1; last < row.size; ++first, ++last) {
      if (row.numbers[first] != 0 || row.numbers[last] != 0) continue;
      Row child = row;
      child.numbers[first] = child.numbers[last] = static_cast<std::int8_t>(row.next);
      --child.next;
      children.push(child);
    }
  }
  Found combine(const Found& left, const Found& right) const {
    Found both = left.is_found ? left : right;
    both.nodes = left.nodes + right.nodes;
    return both;
  }
  cleave::Sizes solution_sizes(const Found& total) const { return {{"nodes", total.nodes}}; }
};

Row empty_row(const cleave::NamedSizes& sizes, std::uint64_t) {
  const auto n = static_cast<std::int32_t>(sizes.at("N"));
  return {.size = 2 * n, .next = n};
}

std::optional<std::string> wrong(const Row& empty, const Found& found) {
  const bool exists = empty.next % 4 == 0 || empty.next % 4 == 3;
  if (found.is_found != exists) return exists ? "there is a row" : "there is none";
  for (int k = 1; k <= (exists ? empty.next : 0); ++k) {
    int pairs = 0, places = 0;
    for (int i = 0; i < empty.size; ++i) {
      places += found.row.numbers[i] == k;
      pairs += found.row.numbers[i] == k && i > k && found.row.numbers[i - k - 1] == k;
    }
    if (pairs != 1 || places != 2) return std::to_string(k) + " is misplaced";
  }
  return std::nullopt;
}

std::string text_of(const Found& found) {
  std::string text;
  for (int i = 0; found.is_found && i < found.row.size; ++i) {
    text += std::to_string(found.row.numbers[i]) + ' ';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Langford>{
                         .summary = "Finds whether the pairs of 1 to N form a row of Langford.",
                         .sizes = {{"N", 10, 32}},
                         .make_problem = empty_row,
                         .is_generated = [] { return false; },
                         .wrong = wrong,
                         .figures = [](const Found& found) -> cleave::Figures {
                           return {{"exists", found.is_found}, {"row", text_of(found)}};
                         },
                     });
}
