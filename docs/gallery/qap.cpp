// SPDX-License-Identifier: Apache-2.0
// Quadratic assignment: N facilities get places so that the sum of flow times distance is the
// least. Branch-and-bound by bounds as of P. C. Gilmore (1962) and E. L. Lawler ("The quadratic
// assignment problem", Management Science 9, 1963). The instance is nug12 of C. E. Nugent, T. E.
// Vollmann and J. Ruml, Operations Research 16, 1968: places on a grid of 3 rows of 4. N < 12 takes
// the first N.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include <cleave/program.hpp>

#include "independent.hpp"

namespace {

constexpr int kMax = 12;
using Row = std::array<int, kMax>;

// Flows of facility 1 to 0, 2 to 0 and 1, 3 to 0, 1 and 2, ...; hexadecimal, the same in both
// directions.
constexpr std::string_view kFlows =
    "52340012050202a020205605a01a2450015015205520010251435a510251030a02";

int flow(int i, int k) {
  if (i == k) return 0;
  const char digit = kFlows[i < k ? k * (k - 1) / 2 + i : i * (i - 1) / 2 + k];
  return digit == 'a' ? 10 : digit - '0';
}
int distance(int a, int b) { return std::abs(a / 4 - b / 4) + std::abs(a % 4 - b % 4); }

struct Placed {
  int size = 0, assigned = 0;                           // of N facilities, the first have places
  Row places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  // theirs, then the free ones
  int cost = 0;                                         // between those that have places
};

struct Best {
  std::int64_t nodes = 0;
  int cost = cleave::Incumbent<int>::kNone;
};

struct Assignment {
  using Problem = Placed;
  using Solution = Best;
  using Bound = int;

  void visit(const Placed& p, cleave::Children<Placed>& children, Best& best,
             cleave::Incumbent<int>& incumbent) const {
    ++best.nodes;
    if (p.cost + cost_of_rest(p) >= incumbent.value()) return;
    if (p.assigned == p.size && incumbent.offer(p.cost)) best.cost = p.cost;
    for (int i = p.assigned; i < p.size; ++i) {
      Placed child = p;
      std::swap(child.places[child.assigned++], child.places[i]);
      for (int k = 0; k < p.assigned; ++k) {
        child.cost += 2 * flow(p.assigned, k) * distance(p.places[i], p.places[k]);
      }
      children.push(child);
    }
  }
  Best combine(Best left, Best right) const {
    return {left.nodes + right.nodes, std::min(left.cost, right.cost)};
  }
  cleave::Sizes solution_sizes(Best best) const { return {{"nodes", best.nodes}}; }
  // At least what the next facilities cost: the minima of rows, and of columns of what is left.
  int cost_of_rest(const Placed& p) const {
    std::array<Row, kMax> costs{};
    int sum = 0;
    for (int i = p.assigned; i < p.size; ++i) {
      for (int j = p.assigned; j < p.size; ++j) costs[i][j] = cost_of(p, i, j);
      const auto first = costs[i].begin() + p.assigned, last = costs[i].begin() + p.size;
      const int least = *std::min_element(first, last);
      std::for_each(first, last, [&](int& cost) { cost -= least; });
      sum += least;
    }
    for (int j = p.assigned; j < p.size; ++j) {
      int least = costs[p.assigned][j];
      for (int i = p.assigned; i < p.size; ++i) least = std::min(least, costs[i][j]);
      sum += least;
    }
    return sum;
  }
  // Facility i at free place j: its flow to those that have places, and the least to the others.
  static int cost_of(const Placed& p, int i, int j) {
    std::array<int, 32> flows{}, distances{};  // long enough for g++ 12 not to warn of the sorts
    for (int k = 0; k < p.size; ++k) {
      flows[k] = flow(i, k) * (k < p.assigned ? 2 : 1);
      distances[k] = distance(p.places[j], p.places[k]);
    }
    std::sort(flows.begin() + p.assigned, flows.begin() + p.size);
    std::sort(distances.begin() + p.assigned, distances.begin() + p.size, std::greater());
    return std::inner_product(flows.begin(), flows.begin() + p.size, distances.begin(), 0);
  }
};

// The optimum of nug12, as published; of less by trying all permutations.
std::optional<std::string> wrong(const Placed& all, const Best& best) {
  const int right = all.size == kMax ? 578 : gallery::least_cost(all.size, flow, distance);
  if (best.cost == right) return std::nullopt;
  return "the least cost is " + std::to_string(right);
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<Assignment>{
          .summary = "Assigns N facilities of nug12 to places.",
          .sizes = {{"N", kMax, kMax}},
          .make_problem = [](const auto& n, auto) { return Placed{static_cast<int>(n.at("N"))}; },
          .is_generated = [] { return false; },
          .wrong = wrong,
          .figures = [](const Best& best) -> cleave::Figures {
            return {{"cost", best.cost}};
          },
      });
}
