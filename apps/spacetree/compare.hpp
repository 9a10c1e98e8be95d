// SPDX-License-Identifier: Apache-2.0
// Comparing online policies with each other and with the offline optimum.
#pragma once

#include <string>
#include <vector>

#include "skeleton/splitting/online/policy.hpp"
#include "skeleton/splitting/tree/tree.hpp"

namespace cleave::spacetree {

struct NamedPolicy {
  std::string name;
  bool peano = false;  ///< one of Peano's own strategies
  std::function<splitting::Policy()> make;
};

/// Every policy with the parameters that `compare` runs, for `processors` and a tree of
/// `children` = K. `hardcoded` is left out: it replays a plan, see `plan_of_policy`.
std::vector<NamedPolicy> policies_for(int processors, int children,
                                      const splitting::CostModel& cost);

/// The policy called `name`, as above or with its own parameters, e.g. "reserve:4".
/// \throws UsageError  naming what is allowed
splitting::Policy policy_named(const std::string& name, int processors, int children,
                               const splitting::CostModel& cost);

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

/// Runs every policy on `tree`.
std::vector<Comparison> compare(const std::string& name, const splitting::Tree& tree,
                                int processors, const splitting::CostModel& cost);

}  // namespace cleave::spacetree
