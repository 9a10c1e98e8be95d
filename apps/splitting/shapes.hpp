// SPDX-License-Identifier: Apache-2.0
// A division in space: where its parts touch (the page's surface term), into how many pieces each
// falls, and pictures.
#pragma once

#include <string>
#include <vector>

#include "apps/splitting/curve.hpp"
#include "apps/splitting/ledger.hpp"

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

/// The ledger's current stage as the source page draws it, in SVG: the tree with every node in its
/// owner's colour and, where d = 2, the domain with every cell in its owner's.
std::string stage_picture(const Ledger& ledger, const Curve& curve);

}  // namespace cleave::splitting
