// SPDX-License-Identifier: Apache-2.0
// The integral of a function of d variables over the unit cube, on a sparse grid (S. A. Smolyak,
// "Quadrature and interpolation formulas for tensor products of certain classes of functions",
// Dokl. Akad. Nauk 148, 1963), by nested rules of Clenshaw and Curtis. The function oscillates (A.
// Genz, "Testing multidimensional integration routines", 1984). Shown: two sizes; a cut by work.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>

#include "independent.hpp"

namespace {

constexpr int kMaxDimension = 12, kMaxLevel = 10;
constexpr double kTurn = 0.3 * 2 * std::numbers::pi;
using Point = std::pair<double, double>;              // x and its weight
using Term = std::array<std::int8_t, kMaxDimension>;  // the level of each variable
using Terms = std::pair<std::int64_t, std::int64_t>;  // from, to in the list
struct Sum {
  std::int64_t integral = 0, points = 0;  // in units of 2^-50, which add up the same in any order
};

// Clenshaw and Curtis's rule of 2^level + 1 points, or of one.
std::vector<Point> rule(int level) {
  if (level == 0) return {{0.5, 1}};
  std::vector<Point> points;
  for (int j = 0, n = 1 << level; j <= n; ++j) {
    const double angle = std::numbers::pi * j / n;
    double weight = 1;
    for (int b = 2; b <= n; b += 2) weight -= (b < n ? 2 : 1) * std::cos(b * angle) / (b * b - 1);
    points.emplace_back((1 - std::cos(angle)) / 2, weight / n / (j % n == 0 ? 2 : 1));
  }
  return points;
}

struct SparseGrid {
  using Problem = Terms;
  using Solution = Sum;
  int dimension = 0;
  std::vector<std::vector<Point>> rules;  // of each level, less that of the level below
  std::vector<Term> terms;
  std::vector<std::int64_t> work{0};  // evaluations of the function, of all terms before each

  bool trivial(Terms t) const { return t.second - t.first == 1; }
  Sum conquer(Terms t) const {
    std::int64_t points = 1;  // that no lower level has
    for (const int level : terms[t.first]) points *= level < 2 ? level + 1 : 1 << (level - 1);
    return {std::llround(std::ldexp(product(terms[t.first], 0, kTurn), 50)), points};
  }
  cleave::Halves<Terms> divide(Terms t, cleave::Share share) const {
    const std::int64_t left = work[t.first] + evaluations(t) * share.left / share.total;
    const auto cut = std::ranges::lower_bound(work, left) - work.begin();
    const auto middle = std::clamp(cut, t.first + 1, t.second - 1);
    return {{t.first, middle}, {middle, t.second}};
  }
  Sum combine(Sum a, Sum b) const { return {a.integral + b.integral, a.points + b.points}; }
  cleave::Sizes sizes(Terms t) const { return {{"evaluations", evaluations(t)}}; }
  Terms all() const { return {0, std::ssize(terms)}; }
  std::int64_t evaluations(Terms t) const { return work[t.second] - work[t.first]; }
  double slope(int i) const { return 18.0 * (i + 1) / (dimension * (dimension + 1)); }
  // Lists the terms whose levels from variable i on add up to `left` at most.
  void list(Term term, int i, std::int64_t left, std::int64_t evaluations) {
    for (int level = 0; level <= left && i < dimension; ++level) {
      term[i] = static_cast<std::int8_t>(level);
      list(term, i + 1, left - level, evaluations * std::ssize(rules[level]));
    }
    if (i == dimension) terms.push_back(term), work.push_back(work.back() + evaluations);
  }
  double product(const Term& term, int i, double angle) const {
    if (i == dimension) return std::cos(angle);
    double sum = 0;
    for (const auto& [x, w] : rules[term[i]]) sum += w * product(term, i + 1, angle + slope(i) * x);
    return sum;
  }
};

SparseGrid make_grid(const cleave::RunOptions& options) {
  SparseGrid grid{.dimension = static_cast<int>(options.sizes.at("d"))};
  for (int level = 0; level <= options.sizes.at("level"); ++level) {
    grid.rules.push_back(rule(level));
    for (std::size_t j = 0; level > 0 && j < rule(level - 1).size(); ++j) {
      grid.rules[level][level == 1 ? 1 : 2 * j].second -= rule(level - 1)[j].second;
    }
  }
  grid.list({}, 0, options.sizes.at("level"), 1);
  return grid;
}

}  // namespace

int main(int argc, char** argv) {
  SparseGrid grid;
  // The cosine of a sum is the real part of a product, so each variable is a factor of its own.
  const auto factor = [&](int i, int level) {
    std::complex<double> sum;
    for (const auto& [x, w] : grid.rules[level]) sum += w * std::polar(1.0, grid.slope(i) * x);
    return sum;
  };
  const auto wrong = [&](Terms, Sum sum) -> std::optional<std::string> {
    const auto all = gallery::sum_of_products(grid.dimension, grid.rules.size(), factor);
    const double error = std::ldexp(sum.integral, -50) - (all * std::polar(1.0, kTurn)).real();
    return std::abs(error) < 1e-10 ? std::nullopt : std::optional("factors have another sum");
  };
  return cleave::run(
      argc, argv,
      cleave::Program<SparseGrid>{
          .summary = "Integrates a function of d variables on a sparse grid of a level.",
          .sizes = {{"d", 6, kMaxDimension}, {"level", 6, kMaxLevel}},
          .application = [&](const auto& options) { return grid = make_grid(options); },
          .make_problem = [&](const auto&, auto) { return grid.all(); },
          .wrong = wrong,
          .figures = [](Sum sum) -> cleave::Figures {
            return {{"points", sum.points}, {"integral", std::ldexp(sum.integral, -50)}};
          },
      });
}
