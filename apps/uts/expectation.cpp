// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/uts/tree.hpp"

namespace cleave::uts {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Shapes that never end: deeper levels are taken as being like this one. The mean has fallen below
/// 1 far above.
constexpr double kDepthsOfEndlessShape = 16;
constexpr std::uint32_t kMaxDepths = 100'000;

/// At least k children with probability r^k, up to the most.
Moments geometric_moments(double mean) {
  const double r = mean / (1 + mean);
  double probability = 1;
  double first = 0;
  double second = 0;
  for (std::uint32_t k = 1; k <= kMaxUtsChildren; ++k) {
    probability *= r;
    first += probability;
    second += (2.0 * k - 1) * probability;
  }
  return {first, second - first * first};
}

Moments binomial_moments(const TreeParameters& p) {
  const double q = p.interior_probability;
  const double m =
      p.is_prins ? p.interior_children : std::min(p.interior_children, kMaxUtsChildren);
  return {q * m, q * (1 - q) * m * m};
}

/// The size of the subtree of a node whose descendants are all as it is.
Moments alike_size(const Moments& children) {
  const double left = 1 - children.mean;
  return left > 0 ? Moments{1 / left, children.variance / (left * left * left)}
                  : Moments{kInfinity, kInfinity};
}

/// The least root of s = 1 - q + q s^m, found from below. (Subtrees of more children than one.)
double extinction(const TreeParameters& p) {
  const Moments children = binomial_moments(p);
  if (children.mean <= 1 || children.variance == 0) {
    return children.mean < 1 || children.variance > 0 ? 1 : 0;
  }
  const double q = p.interior_probability;
  const double m = children.mean / q;
  double low = 0;
  double high = std::nextafter(1.0, 0.0);
  const auto excess = [&](double s) { return 1 - q + q * std::pow(s, m) - s; };
  // Convex, positive at 0, zero at 1 and negative just below 1.
  constexpr int kHalvings = 200;
  const double minimum = std::pow(1 / children.mean, 1 / (m - 1));  // where the slope is zero
  high = std::min(high, minimum);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return low;
}

}  // namespace

Moments children_moments(const TreeParameters& p, std::uint32_t depth) {
  if (depth == 0 && p.type == TreeType::binomial) {
    return {std::floor(p.root_branching), 0};
  }
  const bool is_alike = depth >= alike_from(p);
  switch (p.type) {
    case TreeType::binomial:
      return binomial_moments(p);
    case TreeType::balanced:
      return {is_alike ? 0 : std::min<double>(std::floor(p.root_branching), kMaxUtsChildren), 0};
    case TreeType::hybrid:
      return is_alike ? binomial_moments(p) : geometric_moments(mean_children(p, depth));
    case TreeType::geometric:
      return is_alike ? Moments{0, 0} : geometric_moments(mean_children(p, depth));
  }
  return {};
}

SubtreeSizes::SubtreeSizes(const TreeParameters& p) {
  const auto endless = static_cast<std::uint32_t>(
      std::min<double>(kDepthsOfEndlessShape * p.depth_parameter, kMaxDepths));
  const std::uint32_t last = std::max<std::uint32_t>(p.type == TreeType::binomial ? 1 : 0,
                                                     std::min(alike_from(p), endless));
  alike_children_ = children_moments(p, last);
  if (p.type == TreeType::binomial || p.type == TreeType::hybrid) {
    probability_to_end_ = extinction(p);
  }
  at_.resize(last + 1);
  alike_nodes_.resize(last + 1);
  at_[last] = alike_size(alike_children_);
  alike_nodes_[last] = 1;
  for (std::uint32_t depth = last; depth-- > 0;) {
    const Moments children = children_moments(p, depth);
    const Moments& below = at_[depth + 1];
    alike_nodes_[depth] = children.mean * alike_nodes_[depth + 1];
    at_[depth].mean = 1 + (children.mean == 0 ? 0 : children.mean * below.mean);
    at_[depth].variance =
        children.mean == 0
            ? 0
            : children.mean * below.variance +
                  (children.variance == 0 ? 0 : children.variance * below.mean * below.mean);
  }
}

Moments size_moments(const TreeParameters& parameters) { return SubtreeSizes(parameters).at(0); }

}  // namespace cleave::uts
