// SPDX-License-Identifier: Apache-2.0
// Pictures, as SVG text: the stages of a division as the source page draws them, and the front of
// cost against imbalance.
#pragma once

#include <string>
#include <vector>

#include "apps/splitting/ledger/ledger.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/tree/curve.hpp"

namespace cleave::spacetree {

/// The ledger's current stage: the tree with every node in its owner's colour and, where d = 2, the
/// domain with every cell in its owner's.
std::string stage_picture(const splitting::Ledger& ledger, const splitting::Curve& curve);

/// Cost over imbalance, a step line through the points of a front.
std::string front_picture(const std::vector<splitting::FrontPoint>& front,
                          const std::string& title);

}  // namespace cleave::spacetree
