// SPDX-License-Identifier: Apache-2.0
// Adaptive quadrature by Simpson's rule (W. M. McKeeman, "Algorithm 145: Adaptive numerical
// integration by Simpson's rule", CACM 5, 1962): an interval is halved until both halves agree with
// it. The integral is that of sin(1/x)/x^2 from 1/N to 1, which is cos(1) - cos(N). Shown: a visit
// of several nodes, whose new values of the function are found in one loop.
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <cleave/program.hpp>

namespace {

double function(double x) { return std::sin(1 / x) / (x * x); }

struct Interval {
  double begin = 0, width = 0;
  std::array<double, 3> values{};  // at the begin, the middle, the end
  double tolerance = 0;
};

double simpson(double width, double begin, double middle, double end) {
  return width / 6 * (begin + 4 * middle + end);
}

struct Integral {
  std::int64_t nodes = 0;
  std::int64_t area = 0;  // in units of 2^-40, so that any order has the same sum
};

constexpr double kUnit = 0x1p-40;

struct Quadrature {
  using Problem = Interval;
  using Solution = Integral;

  void visit(std::span<Interval> intervals, cleave::Children<Interval>& children,
             Integral& total) const {
    total.nodes += std::ssize(intervals);
    std::array<std::array<double, 2>, cleave::kMaxNodesAtOnce> values;  // at the quarters
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const Interval& at = intervals[i];
      values[i] = {function(at.begin + at.width / 4), function(at.begin + at.width * 3 / 4)};
    }
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto& [begin, width, known, tolerance] = intervals[i];
      const auto [first, last] = values[i];
      const double left = simpson(width / 2, known[0], first, known[1]);
      const double right = simpson(width / 2, known[1], last, known[2]);
      const double error = (left + right - simpson(width, known[0], known[1], known[2])) / 15;
      if (std::abs(error) <= tolerance) {
        total.area += std::llround((left + right + error) / kUnit);
      } else {
        const double middle = begin + width / 2;
        children.push({middle, width / 2, {known[1], last, known[2]}, tolerance / 2});
        children.push({begin, width / 2, {known[0], first, known[1]}, tolerance / 2});
      }
    }
  }
  Integral combine(Integral left, Integral right) const {
    return {left.nodes + right.nodes, left.area + right.area};
  }
  cleave::Sizes solution_sizes(Integral total) const { return {{"nodes", total.nodes}}; }
};

Interval from_1_over(const cleave::NamedSizes& sizes, std::uint64_t) {
  const double begin = 1 / static_cast<double>(sizes.at("N")), width = 1 - begin;
  return {begin, width, {function(begin), function(begin + width / 2), function(1)}, 1e-6};
}

std::optional<std::string> wrong(const Interval& all, const Integral& integral) {
  const double right = std::cos(1) - std::cos(1 / all.begin);
  if (std::abs(static_cast<double>(integral.area) * kUnit - right) < 1e-6) return std::nullopt;
  return "the integral is " + std::to_string(right);
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Quadrature>{
                         .summary = "Integrates sin(1/x)/x^2 from 1/N to 1.",
                         .sizes = {{"N", 1000, 4000}},  // beyond, sin(1/x) is not that exact
                         .make_problem = from_1_over,
                         .is_generated = [] { return false; },
                         .wrong = wrong,
                         .figures = [](const Integral& integral) -> cleave::Figures {
                           return {{"area", integral.area}, {"nodes", integral.nodes}};
                         },
                     });
}
