// SPDX-License-Identifier: Apache-2.0
// Loads of intervals of the curve, for planners that place cuts on it.
#pragma once

#include <algorithm>
#include <vector>

#include <cleave/frontier.hpp>

namespace cleave::splitting {

/// Every leaf weighs 1: the load before a position is the position.
class UnitLoads {
 public:
  explicit UnitLoads(Index leaves) : leaves_(leaves) {}

  Index leaves() const { return leaves_; }
  Index before(Index position) const { return position; }
  Index between(Index begin, Index end) const { return end - begin; }
  /// The first position whose load before it is at least `load`; leaves() + 1 if none.
  Index first_at_least(Index load) const { return std::clamp<Index>(load, 0, leaves_ + 1); }

 private:
  Index leaves_;
};

/// Leaves have weights of their own.
class WeightedLoads {
 public:
  explicit WeightedLoads(const std::vector<Index>& weights) : before_{0} {
    before_.reserve(weights.size() + 1);
    for (const Index weight : weights) {
      before_.push_back(before_.back() + weight);
    }
  }

  Index leaves() const { return static_cast<Index>(before_.size()) - 1; }
  Index before(Index position) const { return before_[position]; }
  Index between(Index begin, Index end) const { return before_[end] - before_[begin]; }
  Index first_at_least(Index load) const {
    return std::lower_bound(before_.begin(), before_.end(), load) - before_.begin();
  }

 private:
  std::vector<Index> before_;
};

}  // namespace cleave::splitting
