// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger/surface.hpp"

#include <boost/pending/disjoint_sets.hpp>

namespace cleave::splitting {

namespace {

/// The current leaf that covers the cell of `level` at `at`, or its first one if that is refined.
Index leaf_covering(const Growth& growth, const Curve& curve, int level, const GridPoint& at) {
  const Tree& tree = growth.tree();
  const auto k = static_cast<std::uint32_t>(tree.shape().k);
  std::uint64_t scale = 1;  // cells of `level` along one axis of a child of the current node
  for (int l = 1; l < level; ++l) {
    scale *= k;
  }
  Index node = 0;
  Cell cell;
  while (cell.level < level && tree.refined(cell.level, node)) {
    GridPoint offset{};
    for (int axis = 0; axis < tree.shape().d; ++axis) {
      offset[axis] = static_cast<std::uint32_t>(at[axis] / scale % k);
    }
    const int child = curve.child_at(cell.turn, offset);
    node = tree.first_child(cell.level, node) + child;
    cell = curve.child(cell, child);
    scale /= k;
  }
  return growth.leaf_at(tree.first_leaf(cell.level, node));
}

}  // namespace

std::vector<PartShape> part_shapes(const Ledger& ledger, const Curve& curve) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  const auto cells = cells_of(tree, curve);
  std::vector<PartShape> shapes(static_cast<std::size_t>(ledger.processors()));
  boost::disjoint_sets_with_storage<> pieces(static_cast<std::size_t>(growth.leaves()));
  const auto owner_of = [&](Index leaf) {
    return ledger.owner(growth.level(leaf), growth.node(leaf));
  };
  const auto touch = [&](Index a, Index b) {
    if (owner_of(a) == owner_of(b)) {
      pieces.union_set(a, b);
    } else {
      ++shapes[static_cast<std::size_t>(owner_of(a))].surface;
      ++shapes[static_cast<std::size_t>(owner_of(b))].surface;
    }
  };
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    const int level = growth.level(leaf);
    std::uint32_t last = 1;  // largest coordinate of this level
    for (int l = 0; l < level; ++l) {
      last *= static_cast<std::uint32_t>(tree.shape().k);
    }
    --last;
    for (int axis = 0; axis < tree.shape().d; ++axis) {
      const GridPoint& at = cells[static_cast<std::size_t>(level)][growth.node(leaf)].at;
      for (const bool up : {false, true}) {
        if (at[axis] == (up ? last : 0)) {
          continue;
        }
        GridPoint beside = at;
        beside[axis] += up ? 1U : -1U;
        const Index neighbour = leaf_covering(growth, curve, level, beside);
        // A face belongs to its finer side, between equals to the lower one.
        if (growth.level(neighbour) < level || (growth.level(neighbour) == level && up)) {
          touch(leaf, neighbour);
        }
      }
    }
  }
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    if (pieces.find_set(leaf) == leaf) {
      ++shapes[static_cast<std::size_t>(owner_of(leaf))].pieces;
    }
  }
  return shapes;
}

}  // namespace cleave::splitting
