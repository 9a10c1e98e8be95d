// SPDX-License-Identifier: Apache-2.0
// The online policies by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/splitting/online/policy.hpp"

namespace cleave::spacetree {

struct NamedPolicy {
  std::string name;
  std::optional<int> count;  ///< what it takes by default, as in "reserve:4"; none: no number
  std::function<splitting::Policy(int)> make_with;

  splitting::Policy make() const { return make_with(count.value_or(0)); }
};

/// Every policy, with usual counts for `processors` and a tree of `children` = K; Peano's first.
/// `hardcoded` is left out: it replays a plan.
std::vector<NamedPolicy> policies_for(int processors, int children,
                                      const splitting::CostModel& cost);

/// The policy called `name`, as above or with another count, e.g. "reserve:4".
/// \throws UsageError  naming what is allowed
splitting::Policy policy_named(const std::string& name, int processors, int children,
                               const splitting::CostModel& cost);

}  // namespace cleave::spacetree
