// SPDX-License-Identifier: Apache-2.0
// The verdict of a question: what held-out runs say of one that is as far from the others.
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <limits>
#include <ranges>

#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

/// The most of `count` checks outside their 95 % intervals for which chance will do.
std::ptrdiff_t allowed_misses(std::size_t count) {
  constexpr double kMiss = 0.05;
  const boost::math::binomial misses(static_cast<double>(count), kMiss);
  return static_cast<std::ptrdiff_t>(quantile(complement(misses, kMiss)));
}

}  // namespace

std::pair<std::span<const Check>, bool> Verdict::speaking(double reach) const {
  const auto holds = std::ranges::find_if(
      checks, [&](const Check& c) { return c.reach >= reach - kSamePlace && c.holds(); });
  const double until =
      holds == checks.end() ? std::numeric_limits<double>::infinity() : holds->reach + kSamePlace;
  const auto end = std::ranges::upper_bound(checks, until, {}, &Check::reach);
  return {{checks.begin(), end}, holds != checks.end()};
}

State Verdict::state(double reach) const {
  const auto [spoken, holds] = speaking(reach);
  const std::ptrdiff_t misses = std::ranges::count(spoken, false, &Check::is_inside);
  const bool fails = misses > allowed_misses(spoken.size()) || 2 * misses > std::ssize(spoken);
  return fails ? State::failed : holds ? State::checked : State::not_checked;
}

double Verdict::reach() const {
  auto holding = checks | std::views::filter(&Check::holds);
  return holding.empty() ? 0 : std::ranges::max(holding, {}, &Check::reach).reach;
}

Check check_of(const Prediction& p, double measured_s, bool is_rehearsed) {
  return {.ranks = p.ranks,
          .threads = p.threads,
          .sizes = p.sizes,
          .is_rehearsed = is_rehearsed,
          .reach = p.reach,
          .measured_s = std::max(measured_s, kShortest_s),
          .predicted_s = p.seconds,
          .low = p.low,
          .high = p.high};
}

}  // namespace cleave::models
