// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <cleave/error.hpp>

namespace cleave::splitting {

namespace {

/// A corner of a cell: bit a is set at the upper end of axis a.
using Corner = unsigned;

/// A reflection and permutation of the axes: coordinate x of axis i goes to axis[i], and is turned
/// around there if that axis is flipped.
struct Turn {
  std::array<int, 3> axis = {0, 1, 2};
  std::array<bool, 3> flip = {false, false, false};

  friend bool operator==(const Turn&, const Turn&) = default;

  GridPoint apply(const GridPoint& x, Shape shape) const {
    GridPoint turned{};
    for (int i = 0; i < shape.d; ++i) {
      const int to = axis[i];
      turned[to] = flip[to] ? static_cast<std::uint32_t>(shape.k) - 1 - x[i] : x[i];
    }
    return turned;
  }

  /// First `inner`, then this.
  Turn after(const Turn& inner, int d) const {
    Turn both;
    for (int i = 0; i < d; ++i) {
      both.axis[i] = axis[inner.axis[i]];
      both.flip[axis[i]] = inner.flip[i] != flip[axis[i]];
    }
    return both;
  }
};

struct Child {
  GridPoint offset{};
  Turn turn;
};

/// A curve from corner 0 to corner 1 (Hilbert) or to the opposite corner (Peano).
struct Pattern {
  CurveKind kind;
  Shape shape;
  std::string_view children;  ///< of each child its d coordinates and the corner where it is left
};

/// Found by a search for Hamiltonian paths through the children that join corner to corner.
constexpr Pattern kPatterns[] = {
    {CurveKind::hilbert, {2, 2}, "002 011 111 101 "},
    {CurveKind::hilbert, {2, 3}, "0004 0012 0112 0107 1104 1111 1011 1001 "},
    {CurveKind::hilbert, {3, 2}, "001 102 112 012 021 121 221 211 201 "},
    {CurveKind::hilbert,
     {3, 3},
     "0002 0104 0114 0121 0022 0017 1012 1002 1104 1111 2111 2107 2204 1204 "
     "0204 0214 0221 1221 1211 2214 2224 2124 1121 1021 2021 2011 2001 "},
    {CurveKind::peano, {3, 2}, "003 101 203 212 110 012 023 121 223 "},
    {CurveKind::peano,
     {3, 3},
     "0007 1001 2007 2014 1012 1117 2111 2102 1104 0102 0207 0214 0111 0014 "
     "0027 1021 2027 2122 1124 0122 0227 1221 1212 1201 2207 2214 2227 "}};

/// The turn that brings the curve from corner 0 (to corner 1, axis 0, if Hilbert) to start at
/// `entry` and end at `exit`.
Turn turn_between(Corner entry, Corner exit, CurveKind kind, int d) {
  Turn turn;
  for (int axis = 0; axis < d; ++axis) {
    turn.flip[axis] = (entry >> axis & 1) != 0;
  }
  if (kind == CurveKind::hilbert) {
    int along = 0;
    while ((entry ^ exit) >> along != 1) {
      ++along;
    }
    for (int i = 0; i < d; ++i) {
      turn.axis[i] = (along + i) % d;
    }
  }
  return turn;
}

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

/// Empty if there is no such curve.
std::vector<Child> children_of(Shape shape, CurveKind kind) {
  std::vector<Child> children;
  if (kind == CurveKind::morton) {
    const auto k = static_cast<std::uint32_t>(shape.k);
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(shape.children()); ++i) {
      children.push_back({{i % k, i / k % k, i / k / k}, {}});
    }
    return children;
  }
  for (const Pattern& pattern : kPatterns) {
    if (pattern.kind != kind || pattern.shape != shape) {
      continue;
    }
    Corner entry = 0;
    const auto d = static_cast<std::size_t>(shape.d);
    for (std::size_t at = 0; at < pattern.children.size(); at += d + 2) {
      const std::string_view digits = pattern.children.substr(at, d + 1);
      Child child;
      for (std::size_t axis = 0; axis < d; ++axis) {
        child.offset[axis] = static_cast<std::uint32_t>(digits[axis] - '0');
        // The step into this child crosses the face between them.
        if (!children.empty() && children.back().offset[axis] != child.offset[axis]) {
          entry ^= Corner{1} << axis;
        }
      }
      const auto exit = static_cast<Corner>(digits[d] - '0');
      child.turn = turn_between(entry, exit, kind, shape.d);
      children.push_back(child);
      entry = exit;
    }
  }
  return children;
}

}  // namespace

CurveKind usual_curve(Shape shape) { return shape.k == 2 ? CurveKind::hilbert : CurveKind::peano; }

Curve::Curve(Shape shape, CurveKind kind) : shape_(shape) {
  check(shape);
  const std::vector<Child> children = children_of(shape, kind);
  if (children.empty()) {
    throw Error(fmt::format("there is no {} curve for k = {}, d = {}",
                            kCurveNames[static_cast<std::size_t>(kind)], shape.k, shape.d));
  }
  std::vector<Turn> turns = {Turn{}};  // those that occur, found one after another
  for (std::size_t t = 0; t < turns.size(); ++t) {
    auto& steps = steps_.emplace_back();
    auto& child_at = child_at_.emplace_back(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      const GridPoint offset = turns[t].apply(children[i].offset, shape);
      const Turn turn = turns[t].after(children[i].turn, shape.d);
      auto known = std::find(turns.begin(), turns.end(), turn);
      if (known == turns.end()) {
        turns.push_back(turn);
        known = turns.end() - 1;
      }
      steps.push_back({offset, static_cast<std::uint8_t>(known - turns.begin())});
      child_at[place_of(offset)] = static_cast<int>(i);
    }
  }
}

Cell Curve::child(const Cell& cell, int i) const {
  const Step& step = steps_[cell.turn][static_cast<std::size_t>(i)];
  Cell child{.level = cell.level + 1, .at = cell.at, .turn = step.turn};
  for (int axis = 0; axis < shape_.d; ++axis) {
    child.at[axis] = cell.at[axis] * static_cast<std::uint32_t>(shape_.k) + step.offset[axis];
  }
  return child;
}

int Curve::child_at(std::uint8_t turn, GridPoint offset) const {
  return child_at_[turn][place_of(offset)];
}

std::vector<std::vector<Cell>> cells_of(const Tree& tree, const Curve& curve) {
  if (tree.l_max() > curve.deepest_level()) {
    throw Error(fmt::format("the tree has {} levels, cells are known for at most {}", tree.l_max(),
                            curve.deepest_level()));
  }
  std::vector<std::vector<Cell>> cells = {{Cell{}}};
  for (int level = 0; level < tree.l_max(); ++level) {
    std::vector<Cell> next;
    next.reserve(static_cast<std::size_t>(tree.nodes_of_level(level + 1)));
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      for (int i = 0; tree.refined(level, node) && i < tree.children(); ++i) {
        next.push_back(curve.child(cells.back()[static_cast<std::size_t>(node)], i));
      }
    }
    cells.push_back(std::move(next));
  }
  return cells;
}

std::vector<Index> surfaces(const Ledger& ledger, const Curve& curve) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  const auto cells = cells_of(tree, curve);
  std::vector<Index> surfaces(static_cast<std::size_t>(ledger.processors()));
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    const int level = growth.level(leaf);
    const GridPoint& at = cells[static_cast<std::size_t>(level)][growth.node(leaf)].at;
    std::uint32_t cells_along = 1;  // one axis of this level
    for (int l = 0; l < level; ++l) {
      cells_along *= static_cast<std::uint32_t>(tree.shape().k);
    }
    for (int axis = 0; axis < tree.shape().d; ++axis) {
      for (const bool up : {false, true}) {
        if (at[axis] == (up ? cells_along - 1 : 0)) {
          continue;
        }
        GridPoint beside = at;
        beside[axis] += up ? 1U : -1U;
        const Index neighbour = leaf_covering(growth, curve, level, beside);
        // A face belongs to its finer side, between equals to the lower one.
        const bool counts_here =
            growth.level(neighbour) < level || (growth.level(neighbour) == level && up);
        if (counts_here && ledger.owner(leaf) != ledger.owner(neighbour)) {
          ++surfaces[static_cast<std::size_t>(ledger.owner(leaf))];
          ++surfaces[static_cast<std::size_t>(ledger.owner(neighbour))];
        }
      }
    }
  }
  return surfaces;
}

}  // namespace cleave::splitting
