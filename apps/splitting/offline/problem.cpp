// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cleave/error.hpp>

namespace cleave::splitting {

void check(const Problem& problem) {
  if (problem.processors < 1) {
    throw Error(fmt::format("{} processors, at least 1 is needed", problem.processors));
  }
  if (problem.weights.empty()) {
    return;
  }
  if (static_cast<Index>(problem.weights.size()) != problem.tree.leaves()) {
    throw Error(fmt::format("{} weights for {} leaves, expected one each", problem.weights.size(),
                            problem.tree.leaves()));
  }
  const auto minimum = std::min_element(problem.weights.begin(), problem.weights.end());
  if (*minimum < 0) {
    throw Error(fmt::format("leaf {} weighs {}, it must be at least 0",
                            minimum - problem.weights.begin(), *minimum));
  }
}

Index total_load(const Problem& problem) {
  return problem.weights.empty()
             ? problem.tree.leaves()
             : std::accumulate(problem.weights.begin(), problem.weights.end(), Index{0});
}

LoadWindow window_around_mean(const Problem& problem, double tolerance) {
  if (!std::isfinite(tolerance) || tolerance < 0) {
    throw Error(fmt::format("window {}, it must be at least 0 and finite", tolerance));
  }
  const double total = static_cast<double>(total_load(problem));
  const double mean = total / problem.processors;
  return {.minimum = static_cast<Index>(std::max(0.0, std::floor(mean * (1 - tolerance)))),
          .maximum = static_cast<Index>(std::min(total, std::ceil(mean * (1 + tolerance))))};
}

}  // namespace cleave::splitting
