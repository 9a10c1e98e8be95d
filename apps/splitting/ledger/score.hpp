// SPDX-License-Identifier: Apache-2.0
// The page's quality score w = C2 * SplitCost + C1 * Imbalance, and how balanced a division is.
#pragma once

#include <vector>

#include <cleave/frontier.hpp>

namespace cleave::splitting {

/// How evenly a load is spread over all processors; empty ones count 0.
struct Balance {
  double minimum = 0;
  double maximum = 0;
  double mean = 0;

  double imbalance() const { return maximum - minimum; }
  double max_over_mean() const { return mean > 0 ? maximum / mean : 1; }
};

/// The load of a processor is leaves + C3 * surface, or leaves alone where `surface` is empty.
/// \throws Error  if there is no processor, or `surface` is neither empty nor one a processor
Balance balance(const std::vector<Index>& leaves, const std::vector<Index>& surface = {},
                double c3 = 0);

/// C1, C2 and C3 of the page.
struct ScoreWeights {
  double c1 = 1;
  double c2 = 1;
  double c3 = 0;
};

/// w. The smaller, the better; alone it is degenerate: with A1 = A2 = C1 = C2 = 1 and three
/// processors, never splitting wins on the page's own tree. Read it beside max/mean.
double score(const ScoreWeights& weights, double split_cost, const Balance& balance);

}  // namespace cleave::splitting
