// SPDX-License-Identifier: Apache-2.0
// The online policies by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "skeleton/splitting/online/policy.hpp"

namespace cleave::spacetree {

struct NamedPolicy {
  std::string name;
  bool peano = false;  ///< one of Peano's own strategies
  std::function<splitting::Policy()> make;
};

/// Every policy with usual parameters for `processors` and a tree of `children` = K, Peano's first.
/// `hardcoded` is left out: it replays a plan.
std::vector<NamedPolicy> policies_for(int processors, int children,
                                      const splitting::CostModel& cost);

/// The policy called `name`, as above or with its own parameter, e.g. "reserve:4".
/// \throws UsageError  naming what is allowed
splitting::Policy policy_named(const std::string& name, int processors, int children,
                               const splitting::CostModel& cost);

}  // namespace cleave::spacetree
