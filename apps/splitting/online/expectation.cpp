// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/online/expectation.hpp"

#include <algorithm>

namespace cleave::splitting {

namespace {

// Deep trees would overflow; shares need no more than orders of magnitude there.
constexpr double kMaxExpected = 1e12;

/// By level: final leaves expected of an open leaf. The share of the nodes of one level that
/// refined is read off how N grew.
std::vector<double> expected_by_level(const OnlineView& view) {
  const auto& N = view.leaves_so_far();
  const std::size_t s = N.size() - 1;
  double refining = 1;
  if (view.stage() > view.l_min() && s >= 2 && N[s - 1] > N[s - 2]) {
    refining = static_cast<double>(N[s] - N[s - 1]) /
               static_cast<double>(view.children() * (N[s - 1] - N[s - 2]));
  }
  std::vector<double> expected(static_cast<std::size_t>(view.l_max()) + 1, 1.0);
  for (int level = view.l_max() - 1; level >= 0; --level) {
    const double q = level < view.l_min() ? 1 : refining;
    const auto at = static_cast<std::size_t>(level);
    expected[at] = std::min(1 - q + q * view.children() * expected[at + 1], kMaxExpected);
  }
  return expected;
}

}  // namespace

Expectation::Expectation(const OnlineView& view) : before_{0} {
  const std::vector<double> of_open = expected_by_level(view);
  before_.reserve(static_cast<std::size_t>(view.leaves()) + 1);
  for (Index leaf = 0; leaf < view.leaves(); ++leaf) {
    double weight = 1;
    if (view.has_indicator()) {
      weight = view.indicator(leaf);
    } else if (view.open(leaf)) {
      weight = of_open[static_cast<std::size_t>(view.level(leaf))];
    }
    before_.push_back(before_.back() + weight);
  }
}

Index Expectation::nearest(double weight, Index begin, Index end) const {
  const auto first = before_.begin() + begin + 1;
  const auto last = before_.begin() + end;
  auto at = std::lower_bound(first, last, weight);
  if (at == last || (at != first && weight - *(at - 1) <= *at - weight)) {
    --at;
  }
  return at - before_.begin();
}

const Expectation& ExpectationOfStage::of(const OnlineView& view) {
  if (stage_ != view.stage()) {
    stage_ = view.stage();
    expectation_ = std::make_shared<const Expectation>(view);
  }
  return *expectation_;
}

}  // namespace cleave::splitting
