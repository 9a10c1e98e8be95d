// SPDX-License-Identifier: Apache-2.0
// How large a tree is, before it is traversed. Some of its nodes are visited. Of what lies below
// the others the expectation and the spread are known (expectation.hpp).
//
// Estimators that weigh random paths (Knuth, "Estimating the efficiency of backtrack programs",
// Mathematics of Computation 29, 1975; Chen, "Heuristic sampling", SIAM Journal on Computing 21,
// 1992) need no such knowledge. But where q m is close to 1 nearly all of their samples miss the
// few large subtrees, and nothing in the samples tells. Here the interval does: it is wide.
#pragma once

#include <cstdint>
#include <limits>

#include "apps/uts/uts.hpp"

namespace cleave::uts {

struct SizeEstimate {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  std::int64_t visited = 0;  ///< nodes, the root counts
  std::int64_t waiting = 0;  ///< nodes that are known to exist but were not visited; 0: all were
  double mean = 0;           ///< expected number of nodes, given what was visited; may be infinite
  /// Which holds the number of nodes with the probability asked for, if the tree ends. The tail of
  /// near-critical trees is so heavy that the mean may lie beyond it.
  double low = 0;
  double high = 0;
  double probability_to_end = 1;
};

/// Visits about `sample` nodes breadth first, and estimates.
///
/// The waiting nodes' subtrees are independent. Their total size is as the time that a random walk
/// takes to fall by as many steps, one child after the other (Otter, "The multiplicative process",
/// Annals of Mathematical Statistics 20, 1949). The interval is that of the inverse Gaussian
/// distribution with its mean and variance, which is this time's for many small steps.
///
/// \param probability  of the interval, between 0 and 1
SizeEstimate estimate_size(const Uts& uts, std::int64_t sample, double probability = 0.95);

}  // namespace cleave::uts
