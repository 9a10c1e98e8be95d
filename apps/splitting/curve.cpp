// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/curve.hpp"

#include <algorithm>
#include <string_view>

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

/// By child its d coordinates and the corner where the curve leaves it: from corner 0 to corner 1
/// for k = 2 (Hilbert), else to the opposite corner (Peano). Found by a search for Hamiltonian
/// paths through the children that join corner to corner.
std::string_view pattern_of(Shape shape) {
  if (shape.k == 2) {
    return shape.d == 2 ? "002 011 111 101 " : "0004 0012 0112 0107 1104 1111 1011 1001 ";
  }
  return shape.d == 2 ? "003 101 203 212 110 012 023 121 223 "
                      : "0007 1001 2007 2014 1012 1117 2111 2102 1104 0102 0207 0214 0111 0014 "
                        "0027 1021 2027 2122 1124 0122 0227 1221 1212 1201 2207 2214 2227 ";
}

/// The turn that brings the curve from corner 0 to start at `entry` and end at `exit`.
Turn turn_between(Corner entry, Corner exit, Shape shape) {
  Turn turn;
  for (int axis = 0; axis < shape.d; ++axis) {
    turn.flip[axis] = (entry >> axis & 1) != 0;
  }
  if (shape.k == 2) {
    int along = 0;
    while ((entry ^ exit) >> along != 1) {
      ++along;
    }
    for (int i = 0; i < shape.d; ++i) {
      turn.axis[i] = (along + i) % shape.d;
    }
  }
  return turn;
}

std::vector<Child> children_of(Shape shape) {
  std::vector<Child> children;
  const std::string_view pattern = pattern_of(shape);
  const auto d = static_cast<std::size_t>(shape.d);
  Corner entry = 0;
  for (std::size_t at = 0; at < pattern.size(); at += d + 2) {
    Child child;
    for (std::size_t axis = 0; axis < d; ++axis) {
      child.offset[axis] = static_cast<std::uint32_t>(pattern[at + axis] - '0');
      // The step into this child crosses the face between them.
      if (!children.empty() && children.back().offset[axis] != child.offset[axis]) {
        entry ^= Corner{1} << axis;
      }
    }
    const auto exit = static_cast<Corner>(pattern[at + d] - '0');
    child.turn = turn_between(entry, exit, shape);
    children.push_back(child);
    entry = exit;
  }
  return children;
}

}  // namespace

Curve::Curve(Shape shape) : shape_(shape) {
  check(shape);
  const std::vector<Child> children = children_of(shape);
  std::vector<Turn> turns = {Turn{}};  // those that occur, found one after another
  for (std::size_t t = 0; t < turns.size(); ++t) {
    auto& steps = steps_.emplace_back();
    for (const Child& child : children) {
      const Turn turn = turns[t].after(child.turn, shape.d);
      auto known = std::find(turns.begin(), turns.end(), turn);
      if (known == turns.end()) {
        turns.push_back(turn);
        known = turns.end() - 1;
      }
      steps.push_back(
          {turns[t].apply(child.offset, shape), static_cast<std::uint8_t>(known - turns.begin())});
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

}  // namespace cleave::splitting
