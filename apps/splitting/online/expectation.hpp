// SPDX-License-Identifier: Apache-2.0
// What a policy expects the current leaves to become: final leaves by leaf, from what may be known
// online or from the caller's indicator.
#pragma once

#include <memory>
#include <vector>

#include "apps/splitting/online/online_view.hpp"

namespace cleave::splitting {

/// Expected final leaves of every current leaf, and their sums along the curve. A leaf's is the
/// caller's indicator where there is one. Else all nodes refine up to l_min, and from there on as
/// large a share of each level as did last.
class Expectation {
 public:
  /// O(N).
  explicit Expectation(const OnlineView& view);

  /// The sum over the leaves before `leaf`.
  double before(Index leaf) const { return before_[static_cast<std::size_t>(leaf)]; }
  /// The leaf within (begin, end) whose beginning is nearest to `weight`. O(log N).
  Index nearest(double weight, Index begin, Index end) const;

 private:
  std::vector<double> before_;
};

/// The expectation of a view, worked out once a stage. Shared, since policies are copied.
class ExpectationOfStage {
 public:
  const Expectation& of(const OnlineView& view);

 private:
  int stage_ = -1;
  std::shared_ptr<const Expectation> expectation_;
};

}  // namespace cleave::splitting
