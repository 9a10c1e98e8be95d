// SPDX-License-Identifier: Apache-2.0
// Trees to split: random, skewed, refined along a sphere or at a point, and from any rule for how
// many children a node has (unbalanced tree search).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

#include <cleave/error.hpp>

#include "apps/splitting/tree/curve.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

/// Every node of a level above `l_min` refines, none of `l_max` or below does; in between a rule
/// decides.
struct Depths {
  int l_min = 1;
  int l_max = 6;
};

/// Whether a cell refines. Called once a cell, level by level, in curve order.
using Refines = std::function<bool(const Cell& cell)>;

/// \throws Error  unless 0 <= l_min <= l_max <= the curve's deepest level
Tree grow_tree(const Curve& curve, Depths depths, const Refines& refines);

/// Each node refines with `probability`, from 0 to 1.
Tree random_tree(const Curve& curve, Depths depths, double probability, std::uint64_t seed);

/// Only the first node of each level refines, as in the source page's example.
Tree skewed_tree(const Curve& curve, Depths depths);

/// Cells that the surface of the sphere (circle) meets refine. Centre and radius in units of the
/// domain's edge.
Tree sphere_tree(const Curve& curve, Depths depths, std::array<double, 3> centre, double radius);

/// Cells that hold `point` refine.
Tree point_tree(const Curve& curve, Depths depths, std::array<double, 3> point);

/// A tree from a rule `Index children(const Id&)` that says how many children a node has, none or
/// K, and `Id child(const Id&, Index i)`; the root always refines. Nodes of level l_max have none.
/// \throws Error  if a node has another number of children
template <class Id, class Children, class Child>
  requires std::convertible_to<std::invoke_result_t<Children, const Id&>, Index> &&
           std::convertible_to<std::invoke_result_t<Child, const Id&, Index>, Id>
Tree tree_from_rule(Shape shape, int l_max, Id root, Children children, Child child) {
  std::vector<std::vector<std::uint8_t>> levels;
  std::vector<Id> ids = {std::move(root)};
  for (int level = 0; level < l_max && !ids.empty(); ++level) {
    auto& row = levels.emplace_back();
    std::vector<Id> next;
    for (const Id& id : ids) {
      const Index count = level == 0 ? Index{shape.children()} : Index{children(id)};
      if (count != 0 && count != shape.children()) {
        throw Error("a node has " + std::to_string(count) + " children, allowed are 0 and " +
                    std::to_string(shape.children()));
      }
      row.push_back(count == 0 ? 0 : 1);
      for (Index i = 0; i < count; ++i) {
        next.push_back(child(id, i));
      }
    }
    ids = std::move(next);
  }
  return Tree(shape, std::move(levels));
}

}  // namespace cleave::splitting
