// SPDX-License-Identifier: Apache-2.0
// Space-filling curves through the cells of a k^d-tree: in which order a node's children come, and
// where each lies.
//
// A Hilbert curve enters each cell at a corner and leaves it at an adjacent corner; a Peano curve
// leaves at the opposite corner, which needs an odd k. Both step across faces only. Morton order
// has the children by coordinates; it jumps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/splitting/ledger.hpp"

namespace cleave::splitting {

enum class CurveKind : std::uint8_t { hilbert, peano, morton };

inline constexpr std::array kCurveNames = {"hilbert", "peano", "morton"};

/// Hilbert for k = 2, Peano for k = 3.
CurveKind usual_curve(Shape shape);

/// Coordinates along d axes; the third is 0 where d = 2.
using GridPoint = std::array<std::uint32_t, 3>;

/// A cell of level l covers [at, at + 1) / k^l of the unit cube along each axis.
struct Cell {
  int level = 0;
  GridPoint at{};
  std::uint8_t turn = 0;  ///< how the curve is turned in it, see Curve
};

class Curve {
 public:
  /// \throws Error  if there is no such curve: Peano for k = 2
  Curve(Shape shape, CurveKind kind);

  Shape shape() const { return shape_; }
  /// Deepest level whose coordinates fit.
  int deepest_level() const { return shape_.k == 2 ? 31 : 20; }

  /// The i-th child of `cell` along the curve, 0 <= i < K. \pre cell.level < deepest_level()
  Cell child(const Cell& cell, int i) const;
  /// Which child of a cell turned by `turn` lies at `offset`, each coordinate from 0 to k - 1.
  int child_at(std::uint8_t turn, GridPoint offset) const;

 private:
  struct Step {
    GridPoint offset{};
    std::uint8_t turn = 0;
  };

  std::size_t place_of(GridPoint offset) const {
    return offset[0] + (offset[1] + offset[2] * shape_.k) * shape_.k;
  }

  Shape shape_;
  std::vector<std::vector<Step>> steps_;    // by turn and child
  std::vector<std::vector<int>> child_at_;  // by turn and place of the offset
};

/// The cells of all nodes, by level and node.
/// \throws Error  if the tree is deeper than the curve's deepest level
std::vector<std::vector<Cell>> cells_of(const Tree& tree, const Curve& curve);

/// By processor, for the leaves of the ledger's current stage: faces between a leaf of its part and
/// a leaf of another, each counted on its finer side. A coarse leaf beside k^(d-1) finer ones has
/// that many faces there. The boundary of the domain does not count. Cost: O(leaves * d * (stage +
/// log leaves)). \throws Error  if the tree is too deep for `curve`
std::vector<Index> surfaces(const Ledger& ledger, const Curve& curve);

}  // namespace cleave::splitting
