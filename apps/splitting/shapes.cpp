// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cmath>
#include <iterator>

namespace cleave::splitting {

namespace {

std::uint64_t power(std::uint64_t k, int exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; --exponent) {
    result *= k;
  }
  return result;
}

/// The current leaf that covers the cell of `level` at `at`, or its first one if that is refined.
Index leaf_covering(const Growth& growth, const Curve& curve, int level, const GridPoint& at) {
  const Tree& tree = growth.tree();
  const auto k = static_cast<std::uint32_t>(tree.shape().k);
  std::uint64_t scale = power(k, level - 1);  // cells along an axis of a child of the current node
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

constexpr double kWidth = 640;  // of the tree, in pixels
constexpr double kRow = 60;     // from level to level
constexpr double kMargin = 30;
constexpr double kDomain = 320;  // edge of the domain

/// Hues a golden angle apart: any number of owners, neighbours well apart.
std::string colour(int owner) {
  return fmt::format("hsl({:.0f},65%,{}%)", std::fmod(48 + owner * 137.508, 360),
                     owner % 2 == 0 ? 55 : 45);
}

std::string tree_picture(const Ledger& ledger) {
  const Tree& tree = ledger.growth().tree();
  const double scale = kWidth / static_cast<double>(tree.leaves());
  const auto x = [&](int level, Index node) {
    return kMargin + scale * (static_cast<double>(tree.first_leaf(level, node)) +
                              static_cast<double>(tree.leaves_below(level, node)) / 2);
  };
  std::string lines;
  std::string nodes;
  for (int level = 0; level <= std::min(ledger.growth().stage(), tree.l_max()); ++level) {
    const double y = kMargin + level * kRow;
    const double crowd = kWidth / static_cast<double>(tree.nodes_of_level(level));
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      if (level > 0) {
        lines += fmt::format("<path d=\"M{:.1f} {:.0f}L{:.1f} {:.0f}\" stroke=\"#999\"/>\n",
                             x(level - 1, tree.parent(level, node)), y - kRow, x(level, node), y);
      }
      nodes += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.0f}\" r=\"{:.1f}\" fill=\"{}\"/>\n",
                           x(level, node), y, std::clamp(crowd / 3, 1.0, 9.0),
                           colour(ledger.owner(level, node)));
    }
  }
  return lines + nodes;
}

std::string domain_picture(const Ledger& ledger, const Curve& curve) {
  const Growth& growth = ledger.growth();
  const auto cells = cells_of(growth.tree(), curve);
  std::string text;
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    const Cell& cell = cells[static_cast<std::size_t>(growth.level(leaf))]
                            [static_cast<std::size_t>(growth.node(leaf))];
    const double edge = kDomain / std::pow(growth.tree().shape().k, cell.level);
    fmt::format_to(std::back_inserter(text),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
                   "stroke=\"#fff\" stroke-width=\"{:.1f}\"/>\n",
                   2 * kMargin + kWidth + edge * cell.at[0],
                   kMargin + kDomain - edge * (cell.at[1] + 1), edge, edge,
                   colour(ledger.owner(leaf)), edge > 8 ? 1.0 : 0.2);
  }
  return text;
}

}  // namespace

std::vector<PartShape> part_shapes(const Ledger& ledger, const Curve& curve) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  const auto cells = cells_of(tree, curve);
  std::vector<PartShape> shapes(static_cast<std::size_t>(ledger.processors()));
  boost::disjoint_sets_with_storage<> pieces(static_cast<std::size_t>(growth.leaves()));
  const auto shape_of = [&](Index leaf) -> PartShape& {
    return shapes[static_cast<std::size_t>(ledger.owner(leaf))];
  };
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    const int level = growth.level(leaf);
    const auto last = static_cast<std::uint32_t>(power(static_cast<std::uint64_t>(tree.shape().k), level) - 1);
    const GridPoint& at = cells[static_cast<std::size_t>(level)][growth.node(leaf)].at;
    for (int axis = 0; axis < tree.shape().d; ++axis) {
      for (const bool up : {false, true}) {
        if (at[axis] == (up ? last : 0U)) {
          continue;
        }
        GridPoint beside = at;
        beside[axis] += up ? 1U : -1U;
        const Index neighbour = leaf_covering(growth, curve, level, beside);
        // A face belongs to its finer side, between equals to the lower one.
        if (growth.level(neighbour) > level || (growth.level(neighbour) == level && !up)) {
          continue;
        }
        if (ledger.owner(leaf) == ledger.owner(neighbour)) {
          pieces.union_set(leaf, neighbour);
        } else {
          ++shape_of(leaf).surface;
          ++shape_of(neighbour).surface;
        }
      }
    }
  }
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    shape_of(leaf).pieces += pieces.find_set(leaf) == static_cast<std::size_t>(leaf) ? 1 : 0;
  }
  return shapes;
}

std::string stage_picture(const Ledger& ledger, const Curve& curve) {
  const Tree& tree = ledger.growth().tree();
  const bool flat = tree.shape().d == 2;
  const double width = 2 * kMargin + kWidth + (flat ? kDomain + kMargin : 0);
  const double height = 3 * kMargin + std::max(flat ? kDomain : 0.0, tree.l_max() * kRow);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}{3}"
      "<text x=\"{4:.0f}\" y=\"{5:.0f}\">stage {6}: N = {7}, splits so far {8}, cost {9}</text>\n"
      "</svg>\n",
      width, height, tree_picture(ledger), flat ? domain_picture(ledger, curve) : "", kMargin,
      height - kMargin / 2, ledger.growth().stage(), ledger.growth().leaves(),
      ledger.entries().size(), ledger.cost());
}

}  // namespace cleave::splitting
