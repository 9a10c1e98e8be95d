// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger/score.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/error.hpp>

namespace cleave::splitting {

Balance balance(const std::vector<Index>& leaves, const std::vector<Index>& surface, double c3) {
  if (leaves.empty() || (!surface.empty() && surface.size() != leaves.size())) {
    throw Error(fmt::format("{} counts of leaves and {} surfaces, expected one each a processor",
                            leaves.size(), surface.size()));
  }
  std::vector<double> loads(leaves.begin(), leaves.end());
  double total = 0;
  for (std::size_t p = 0; p < loads.size(); ++p) {
    if (!surface.empty()) {
      loads[p] += c3 * static_cast<double>(surface[p]);
    }
    total += loads[p];
  }
  const auto [minimum, maximum] = std::minmax_element(loads.begin(), loads.end());
  return {
      .minimum = *minimum, .maximum = *maximum, .mean = total / static_cast<double>(loads.size())};
}

double score(const ScoreWeights& weights, double split_cost, const Balance& balance) {
  return weights.c2 * split_cost + weights.c1 * balance.imbalance();
}

}  // namespace cleave::splitting
