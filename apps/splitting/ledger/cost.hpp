// SPDX-License-Identifier: Apache-2.0
// F: what one split costs.
#pragma once

#include <functional>
#include <string>

#include <cleave/frontier.hpp>

namespace cleave::splitting {

/// What F may depend on.
struct SplitSize {
  Index n = 0;             ///< leaves moved
  Index N = 0;             ///< leaves of the whole current tree
  Index giver_leaves = 0;  ///< leaves of the giver before the split, n < giver_leaves
};

/// A price for a split, finite and at least 0 (the ledger checks it), that does not fall when n
/// rises: planners give away the smaller side of a cut.
struct CostModel {
  std::function<double(const SplitSize&)> price;
  bool depends_on_n = true;  ///< false: the price is a function of N alone, which plans faster
  std::string name;          ///< for files and reports, e.g. "1 n + 2 N"

  double operator()(const SplitSize& size) const { return price(size); }
};

/// F = A1 n + A2 N. \throws Error  if a coefficient is negative or not finite
CostModel linear_cost(double a1, double a2);

/// F = A1 n^e + A2 N^e. \throws Error  as above, or if e < 1
CostModel superlinear_cost(double a1, double a2, double exponent);

}  // namespace cleave::splitting
