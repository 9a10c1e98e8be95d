// SPDX-License-Identifier: Apache-2.0
// The space-filling curve through the cells of a k^d-tree: in which order a node's children come,
// and where each lies. Hilbert's curve, for k = 2, enters each cell at a corner and leaves it at an
// adjacent corner; Peano's, for k = 3, leaves it at the opposite one. Both step across faces only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/splitting/tree.hpp"

namespace cleave::splitting {

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
  /// \throws Error  unless k and d are 2 or 3
  explicit Curve(Shape shape);

  Shape shape() const { return shape_; }
  /// Deepest level whose coordinates fit.
  int deepest_level() const { return shape_.k == 2 ? 31 : 20; }

  /// The i-th child of `cell` along the curve, 0 <= i < K. \pre cell.level < deepest_level()
  Cell child(const Cell& cell, int i) const;

 private:
  struct Step {
    GridPoint offset{};
    std::uint8_t turn = 0;
  };

  Shape shape_;
  std::vector<std::vector<Step>> steps_;  // by turn and child
};

}  // namespace cleave::splitting
