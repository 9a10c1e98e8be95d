// SPDX-License-Identifier: Apache-2.0
// The policy that undercuts another one.
#pragma once

#include "apps/splitting/online/policy.hpp"

namespace cleave::splitting {

/// Undercuts `other`, which it runs beside itself on the tree as it grows. Up to l_min the tree is
/// known, and so is what `other` will do there. Its cuts are made as soon as the tree has them; if
/// there are none, the tree is halved. After l_min there are never more parts than `other` has, and
/// each cut brings the maximum of expected leaves as low as that many parts allow. Splits that do
/// not lower it are not made. Except for halving, every split leaves the cost below what `other`
/// has paid by then; the maximum is lower as far as expectations hold.
Policy outbid(Policy other, const CostModel& cost);

}  // namespace cleave::splitting
