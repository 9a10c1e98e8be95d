// SPDX-License-Identifier: Apache-2.0
// Parameters of a tree that has about as many nodes as are wanted.
#pragma once

#include <cstdint>

#include "apps/uts/kernel.hpp"
#include "apps/uts/parameters.hpp"

namespace cleave::uts {

struct FoundTree {
  TreeParameters parameters;
  TreeCounts counts;
  int roots_tried = 0;
};

/// Parameters like `kind` whose expected number of nodes is `nodes`: another q of binomial trees,
/// another b of geometric and hybrid ones.
/// \throws UsageError  if there are none: the size of a balanced tree follows from b and d, and no
///                     tree is smaller than its root's children
TreeParameters with_expected_size(const TreeParameters& kind, double nodes);

/// A tree like `kind` with `nodes` nodes, give or take `tolerance` of them: parameters with this
/// expected size, and of the roots from `kind`'s on the first whose tree is so large. Sizes scatter
/// widely. Cost: visits up to 200 times `nodes` nodes.
/// \throws UsageError  as above
/// \throws Error       if no root was found
FoundTree find_tree(const TreeParameters& kind, std::int64_t nodes, double tolerance,
                    ChildIds child_ids);

}  // namespace cleave::uts
