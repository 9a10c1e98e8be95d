// SPDX-License-Identifier: Apache-2.0
// Branch-and-bound on one rank, depth first.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "apps/flowshop/branching.hpp"
#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// Where nothing is known yet: more than any makespan.
inline constexpr int kNoMakespan = std::numeric_limits<int>::max();

struct SearchResult {
  std::int64_t explored = 0;   ///< nodes that were kept, leaves included; the root is not counted
  std::int64_t leaves = 0;     ///< nodes with one job left, whose makespan was computed
  int makespan = kNoMakespan;  ///< the least found, or the incumbent that the search began with
  std::optional<Permutation> permutation{};  ///< of `makespan`; none if no better one was found

  friend bool operator==(const SearchResult&, const SearchResult&) = default;
};

/// Searches for a permutation with a makespan less than `incumbent`. If the incumbent is the
/// optimum from the start, the counts depend on nothing but the bound and the branching rule.
SearchResult search_depth_first(const Brancher& brancher, int incumbent);

}  // namespace cleave::flowshop
