// SPDX-License-Identifier: Apache-2.0
// Numerical semigroups: sets of natural numbers with 0 that are closed under
// addition. How many lack exactly N numbers? Each but the first is another one
// without one of its generators, so they are the nodes of a tree (M.
// Bras-Amoros, "Fibonacci-like behavior of the number of numerical semigroups
// of a given genus", Semigroup Forum 76, 2008). A node holds in how many ways
// each number is a sum of two elements (J. Fromentin and F. Hivert, "Exploring
// the tree of numerical semigroups", Mathematics of Computation 85, 2016).
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <cleave/program.hpp>

namespace {

// How many there are of genus 0, 1, ... (OEIS A007323).
constexpr std::array<std::int64_t, 36> kKnown = {
    1,       1,       2,       4,       7,       12,       23,       39,       67,
    118,     204,     343,     592,     1001,    1693,     2857,     4806,     8045,
    13467,   22464,   37396,   62194,   103246,  170963,   282828,   467224,   770832,
    1270267, 2091030, 3437839, 5646773, 9266788, 15195070, 24896206, 40761087, 66687201};

struct Semigroup {
  static constexpr int kNumbers = 112;      // 3 * 35 + 1 and more: no larger number is ever removed
  std::array<std::uint8_t, kNumbers> ways;  // as a sum a + b, a <= b, of elements; 0: no element
  std::int16_t genus;                       // numbers that it lacks
  std::int16_t last;                        // the greatest of them, or 0
  std::int16_t smallest;                    // its smallest element above 0
};

struct Count {
  std::int64_t nodes = 0;
  std::int64_t semigroups = 0;  // of the genus that is asked for
};

struct Semigroups {
  using Problem = Semigroup;
  using Solution = Count;

  std::int16_t genus = 0;  // that is asked for

  // The generators above `last` have one way, 0 + x, and are at most last + smallest.
  void visit(const Semigroup& s, cleave::LazyChildren& children, Count& total) const {
    ++total.nodes;
    total.semigroups += s.genus == genus;
    if (s.genus >= genus) return;
    const auto first = s.ways.begin() + s.last + 1;
    const auto count = std::count(first, first + s.smallest, 1);
    if (s.genus < genus - 1) return children.lazy(count);
    total.nodes += count;  // children without children are counted, not made
    total.semigroups += count;
  }
  Semigroup child(const Semigroup& s, std::int64_t index) const {
    std::int16_t x = s.last + 1;
    while (s.ways[x] != 1 || index-- > 0) ++x;
    Semigroup child = s;
    for (int y = x; y < Semigroup::kNumbers; ++y) {
      const bool is_sum = s.ways[y - x] > 0;  // y = x + (y - x)
      child.ways[y] = static_cast<std::uint8_t>(s.ways[y] - is_sum);
    }
    child.genus = s.genus + 1;
    child.last = x;
    child.smallest = x == s.smallest ? x + 1 : s.smallest;
    return child;
  }
  Count combine(Count left, Count right) const {
    return {left.nodes + right.nodes, left.semigroups + right.semigroups};
  }
  cleave::Sizes solution_sizes(Count total) const { return {{"nodes", total.nodes}}; }
};

Semigroup natural_numbers() {
  Semigroup all{.ways = {}, .genus = 0, .last = 0, .smallest = 1};
  for (int x = 0; x < Semigroup::kNumbers; ++x) {
    all.ways[x] = static_cast<std::uint8_t>(x / 2 + 1);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Semigroups of;
  return cleave::run(
      argc, argv,
      cleave::Program<Semigroups>{
          .summary = "Counts the numerical semigroups of genus N.",
          .sizes = {{"N", 28, 35}},
          .application =
              [&](const cleave::RunOptions& options) {
                of.genus = static_cast<std::int16_t>(options.sizes.at("N"));
                return of;
              },
          .make_problem = [](const cleave::NamedSizes&,
                             std::uint64_t) { return natural_numbers(); },
          .wrong = [&](const Semigroup&, const Count& count) -> std::optional<std::string> {
            if (count.semigroups == kKnown[of.genus]) {
              return std::nullopt;
            }
            return "it is known that there are " + std::to_string(kKnown[of.genus]);
          },
          .figures = [](const Count& count) -> cleave::Figures {
            return {{"semigroups", count.semigroups}};
          },
      });
}
