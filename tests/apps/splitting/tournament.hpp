// SPDX-License-Identifier: Apache-2.0
// A tournament of the online policies: with each other and with the offline optimum.
#pragma once

#include <string>
#include <vector>

#include "apps/splitting/policies.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

/// One line of the comparison.
struct Comparison {
  std::string tree;
  int processors = 0;
  std::string policy;
  bool peano = false;
  int filled = 1;  ///< processors that end with leaves
  double cost = 0;
  Index sum_n = 0;
  Index sum_N = 0;
  Index imbalance = 0;
  double max_over_mean = 0;
  double optimum = 0;  ///< least cost of a plan with loads within the policy's own window
  bool optimum_is_exact = false;
  std::string beaten_by;  ///< one of ours: no greater max/mean, less cost; empty: none
  std::string why_not;    ///< where none is: what makes it impossible, empty if nothing does
};

/// Runs every policy on `tree`, and for each of Peano's one that undercuts it (outbid.hpp).
std::vector<Comparison> compare(const std::string& name, const Tree& tree, int processors,
                                const CostModel& cost);

}  // namespace cleave::splitting
