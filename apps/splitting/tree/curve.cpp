// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

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

/// Finds the children's places and turns, depth first. A depth-first search can lose itself behind
/// a wrong early step, so it takes its choices in a (fixed) random order and starts again after
/// some.
class PatternSearch {
 public:
  struct Child {
    GridPoint offset{};
    Turn turn;
  };

  PatternSearch(Shape shape, CurveKind kind)
      : shape_(shape), kind_(kind), visited_(static_cast<std::size_t>(shape.children())) {}

  /// Empty if there is no such curve.
  std::vector<Child> find() {
    do {
      steps_ = 0;
      path_.clear();
      visited_.assign(visited_.size(), false);
      visit({}, 0);
    } while (steps_ > kMaxSteps);
    return path_;
  }

 private:
  Corner all() const { return (1U << shape_.d) - 1; }
  Corner exit_of_whole() const { return kind_ == CurveKind::hilbert ? 1 : all(); }

  bool visit(GridPoint offset, Corner entry) {
    if (++steps_ > kMaxSteps) {
      return false;
    }
    const std::size_t index = offset[0] + offset[1] * shape_.k + offset[2] * shape_.k * shape_.k;
    visited_[index] = true;
    path_.push_back({offset, {}});
    std::vector<Corner> flips = {all()};
    if (kind_ == CurveKind::hilbert) {
      flips = {1, 2, 4};
      flips.resize(static_cast<std::size_t>(shape_.d));
      shuffle(flips);
    }
    for (const Corner flip : flips) {
      const Corner exit = entry ^ flip;
      path_.back().turn = turn_between(entry, exit, kind_, shape_.d);
      if (leave(offset, exit)) {
        return true;
      }
    }
    path_.pop_back();
    visited_[index] = false;
    return false;
  }

  /// From `offset` at corner `exit`: done, or on into a neighbour across a face.
  bool leave(GridPoint offset, Corner exit) {
    const auto last = static_cast<std::uint32_t>(shape_.k - 1);
    if (path_.size() == visited_.size()) {
      bool at_exit = exit == exit_of_whole();
      for (int axis = 0; axis < shape_.d; ++axis) {
        at_exit = at_exit && offset[axis] == ((exit >> axis & 1) != 0 ? last : 0);
      }
      return at_exit;
    }
    std::vector<int> axes = {0, 1, 2};
    axes.resize(static_cast<std::size_t>(shape_.d));
    shuffle(axes);
    for (const int axis : axes) {
      const bool up = (exit >> axis & 1) != 0;
      if (offset[axis] == (up ? last : 0)) {
        continue;
      }
      GridPoint next = offset;
      next[axis] += up ? 1U : -1U;
      const std::size_t index = next[0] + next[1] * shape_.k + next[2] * shape_.k * shape_.k;
      if (!visited_[index] && visit(next, exit ^ (1U << axis))) {
        return true;
      }
    }
    return false;
  }

  /// Fisher-Yates; std::shuffle may differ between standard libraries.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[random_() % i]);
    }
  }

  static constexpr int kMaxSteps = 20000;

  Shape shape_;
  CurveKind kind_;
  std::vector<bool> visited_;
  std::vector<Child> path_;
  std::mt19937 random_{1};
  int steps_ = 0;
};

std::vector<PatternSearch::Child> pattern_of(Shape shape, CurveKind kind) {
  if (kind != CurveKind::morton) {
    return PatternSearch(shape, kind).find();
  }
  std::vector<PatternSearch::Child> children;
  const auto k = static_cast<std::uint32_t>(shape.k);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(shape.children()); ++i) {
    children.push_back({{i % k, i / k % k, i / k / k}, {}});
  }
  return children;
}

}  // namespace

std::optional<CurveKind> curve_named(std::string_view name) {
  const auto found = std::find(kCurveNames.begin(), kCurveNames.end(), name);
  if (found == kCurveNames.end()) {
    return std::nullopt;
  }
  return static_cast<CurveKind>(found - kCurveNames.begin());
}

CurveKind usual_curve(Shape shape) { return shape.k == 2 ? CurveKind::hilbert : CurveKind::peano; }

Curve::Curve(Shape shape, CurveKind kind) : shape_(shape) {
  check(shape);
  const auto pattern = pattern_of(shape, kind);
  if (pattern.empty()) {
    throw Error(fmt::format("there is no {} curve for k = {}, d = {}",
                            kCurveNames[static_cast<std::size_t>(kind)], shape.k, shape.d));
  }
  std::vector<Turn> turns = {Turn{}};  // those that occur, found one after another
  for (std::size_t t = 0; t < turns.size(); ++t) {
    auto& steps = steps_.emplace_back();
    auto& child_at = child_at_.emplace_back(static_cast<std::size_t>(shape.children()));
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const GridPoint offset = turns[t].apply(pattern[i].offset, shape);
      const Turn turn = turns[t].after(pattern[i].turn, shape.d);
      auto known = std::find(turns.begin(), turns.end(), turn);
      if (known == turns.end()) {
        turns.push_back(turn);
        known = turns.end() - 1;
      }
      steps.push_back({offset, static_cast<std::uint8_t>(known - turns.begin())});
      child_at[offset[0] + offset[1] * shape.k + offset[2] * shape.k * shape.k] =
          static_cast<int>(i);
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
  return child_at_[turn][offset[0] + offset[1] * shape_.k + offset[2] * shape_.k * shape_.k];
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

}  // namespace cleave::splitting
