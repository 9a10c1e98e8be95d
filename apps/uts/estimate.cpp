// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>

#include "apps/uts/expectation.hpp"

namespace cleave::uts {

namespace {

/// Of the standard normal distribution.
double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The time until a walk with drift falls by a given distance. `mean` may be infinite: no drift.
struct InverseGaussian {
  double mean;
  double shape;

  double below(double x) const {
    const double root = std::sqrt(shape / x);
    const double first = normal_below(root * (x / mean - 1));
    const double second = normal_below(-root * (x / mean + 1));
    // Where this overflows, the product is nothing.
    const double factor = std::exp(2 * shape / mean);
    return std::min(1.0, first + (second > 0 ? factor * second : 0));
  }

  /// \param probability  that the time is less
  double quantile(double probability) const {
    constexpr double kNearlyNormal = 100;
    if (shape / mean > kNearlyNormal) {
      return mean * (1 + normal_quantile(probability) * std::sqrt(mean / shape));
    }
    return by_bisection(shape * 1e-3, shape * 1e12, probability,
                        [this](double x) { return below(x); });
  }

 private:
  static double normal_quantile(double probability) {
    constexpr double kFarOut = 10;
    return std::log(by_bisection(std::exp(-kFarOut), std::exp(kFarOut), probability,
                                 [](double x) { return normal_below(std::log(x)); }));
  }

  /// Where the rising function `below` reaches `probability`; the limits are positive.
  template <class Below>
  static double by_bisection(double low, double high, double probability, Below below) {
    constexpr int kHalvings = 200;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::sqrt(low * high);
      (below(middle) < probability ? low : high) = middle;
    }
    return std::sqrt(low * high);
  }
};

/// Visits breadth first, since what waits is then soonest far from the root.
std::deque<Siblings> visit_some(const Uts& uts, std::int64_t sample, TreeCounts& counts) {
  detail::SplitDeque<Siblings> found;
  Children<Siblings> children(found);
  uts.begin(whole_tree(uts.tree), children, counts);
  std::deque<Siblings> waiting(found.nodes().begin(), found.nodes().end());
  while (!waiting.empty() && counts.nodes < sample) {
    found.clear();
    uts.visit(std::span(&waiting.front(), 1), children, counts);
    waiting.pop_front();
    const std::span<const Siblings> nodes = found.nodes();
    waiting.insert(waiting.end(), nodes.begin(), nodes.end());
  }
  return waiting;
}

}  // namespace

SizeEstimate estimate_size(const Uts& uts, std::int64_t sample, double probability) {
  const SubtreeSizes sizes(uts.tree.parameters());
  TreeCounts counts;
  const std::deque<Siblings> frontier = visit_some(uts, sample, counts);
  SizeEstimate estimate{.visited = counts.nodes};
  Moments rest;
  double alike_nodes = 0;
  for (const Siblings& siblings : frontier) {
    const std::uint32_t count = siblings.last - siblings.first;
    const std::uint32_t depth = siblings.parent.depth + 1;
    estimate.waiting += count;
    rest.mean += count * sizes.at(depth).mean;
    rest.variance += count * sizes.at(depth).variance;
    alike_nodes += count * sizes.alike_nodes(depth);
  }
  const auto visited = static_cast<double>(estimate.visited);
  estimate.mean = visited + rest.mean;
  if (rest.variance == 0) {
    estimate.low = estimate.high = estimate.mean;
    return estimate;
  }
  InverseGaussian time{.mean = rest.mean,
                       .shape = rest.mean * rest.mean * rest.mean / rest.variance};
  if (std::isinf(rest.mean)) {
    // A walk that falls though it drifts upwards does so as fast as one that drifts downwards.
    const Moments& children = sizes.alike_children();
    time = {.mean = alike_nodes / std::abs(1 - children.mean),
            .shape = alike_nodes * alike_nodes / children.variance};
    estimate.probability_to_end = std::pow(sizes.probability_to_end(), alike_nodes);
  }
  const auto minimum = static_cast<double>(estimate.waiting);
  estimate.low = visited + std::max(minimum, time.quantile((1 - probability) / 2));
  estimate.high = visited + std::max(minimum, time.quantile((1 + probability) / 2));
  return estimate;
}

}  // namespace cleave::uts
