// SPDX-License-Identifier: Apache-2.0
// Where the parts of a division touch: the page's surface term, and into how many pieces each
// falls.
#pragma once

#include <vector>

#include "apps/splitting/ledger/ledger.hpp"
#include "apps/splitting/tree/curve.hpp"

namespace cleave::splitting {

struct PartShape {
  /// Faces between a leaf of the part and a leaf of another part, each counted on its finer side. A
  /// coarse leaf beside k^(d-1) finer ones has that many faces there. The boundary of the domain
  /// does not count.
  Index surface = 0;
  /// Pieces that are connected across faces; 0 for an empty part, 1 if all its leaves hang
  /// together.
  Index pieces = 0;
};

/// By processor, for the leaves of the ledger's current stage.
/// Cost: O(leaves * d * (stage + log leaves)). \throws Error  if the tree is too deep for `curve`
std::vector<PartShape> part_shapes(const Ledger& ledger, const Curve& curve);

}  // namespace cleave::splitting
