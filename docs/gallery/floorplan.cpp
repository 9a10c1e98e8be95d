// SPDX-License-Identifier: Apache-2.0
// The smallest rectangle that has room for squares of the sides 1, 2, ... N: floor planning by
// branch-and-bound (R. E. Korf, "Optimal rectangle packing: initial results", ICAPS 2003). For each
// width the plan is filled from below. Its lowest free cell, the leftmost of these, becomes the
// corner of a square or stays empty. Shown: the first nodes of a problem, by `begin`.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <cleave/program.hpp>

namespace {

// The smallest areas for N = 1, 2, ... (OEIS A038666).
constexpr std::array kKnown = {1, 6, 15, 35, 60, 99, 154, 210, 300, 405, 513, 667, 836, 1035};

struct Plan {
  std::array<std::int8_t, 40> heights{};  // of the columns
  std::int32_t squares = 0;               // that are not placed: bit s - 1 for side s
  std::int32_t width = 0, height = 0;
  std::int32_t cells = 0;  // of all squares, and those that stay empty
};

struct Best {
  std::int64_t nodes = 0;
  std::int32_t area = std::numeric_limits<std::int32_t>::max();
};

struct FloorPlan {
  using Problem = std::int64_t;  // N
  using Node = Plan;
  using Solution = Best;
  using Bound = std::int32_t;

  // An empty plan of each width that may be at most the height. All squares in a row need N times
  // the sum of their sides.
  void begin(std::int64_t n, cleave::Children<Plan>& children, Best&) const {
    const auto side = static_cast<std::int32_t>(n);
    for (std::int32_t width = side; width * width <= side * side * (side + 1) / 2; ++width) {
      children.push({.squares = (1 << side) - 1,
                     .width = width,
                     .cells = side * (side + 1) * (2 * side + 1) / 6});
    }
  }
  void visit(const Plan& plan, cleave::Children<Plan>& children, Best& best,
             cleave::Incumbent<Bound>& incumbent) const {
    ++best.nodes;
    const std::int32_t rows = (plan.cells + plan.width - 1) / plan.width;
    if (plan.width * std::max({plan.width, plan.height, rows}) >= incumbent.value()) return;
    if (plan.squares == 0) {
      if (incumbent.offer(plan.width * plan.height)) best.area = plan.width * plan.height;
      return;
    }
    const auto columns = plan.heights.begin(), end = columns + plan.width;
    const auto lowest = std::min_element(columns, end);
    const auto gap =
        std::find_if(lowest, end, [&](int height) { return height != *lowest; }) - lowest;
    Plan empty = plan;
    ++empty.heights[lowest - columns];
    ++empty.cells;
    children.push(empty);
    for (int side = 1; side <= gap; ++side) {  // the largest is visited next
      if ((plan.squares >> (side - 1) & 1) == 0) continue;
      Plan child = plan;
      const int height = *lowest + side;
      std::fill_n(child.heights.begin() + (lowest - columns), side,
                  static_cast<std::int8_t>(height));
      child.height = std::max(plan.height, height);
      child.squares ^= 1 << (side - 1);
      children.push(child);
    }
  }
  Best combine(const Best& left, const Best& right) const {
    return {left.nodes + right.nodes, std::min(left.area, right.area)};
  }
  cleave::Sizes solution_sizes(const Best& best) const { return {{"nodes", best.nodes}}; }
};

std::optional<std::string> wrong(std::int64_t n, const Best& best) {
  if (best.area == kKnown[n - 1]) return std::nullopt;
  return "the smallest area is " + std::to_string(kKnown[n - 1]);
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<FloorPlan>{
          .summary = "Finds the smallest rectangle for the squares of sides 1 to N.",
          .sizes = {{"N", 9, kKnown.size()}},
          .make_problem = [](const cleave::NamedSizes& s, std::uint64_t) { return s.at("N"); },
          .wrong = wrong,
          .figures = [](const Best& best) -> cleave::Figures {
            return {{"area", best.area}};
          },
      });
}
