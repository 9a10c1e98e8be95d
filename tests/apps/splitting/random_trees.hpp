// SPDX-License-Identifier: Apache-2.0
// Small random trees for property tests.
#pragma once

#include <random>
#include <vector>

#include "apps/splitting/tree.hpp"

namespace cleave::splitting {

/// A tree of at most `max_leaves` leaves, often skewed.
inline Tree random_small_tree(std::mt19937_64& random, Shape shape, int l_max, Index max_leaves) {
  const Index gain = shape.children() - 1;
  const double probability = std::uniform_real_distribution(0.1, 0.9)(random);
  std::vector<std::vector<std::uint8_t>> levels;
  Index nodes = 1;
  Index leaves = 1;
  for (int level = 0; level < l_max && nodes > 0; ++level) {
    std::vector<std::uint8_t> row;
    Index refined = 0;
    for (Index node = 0; node < nodes; ++node) {
      const bool wanted = level == 0 || std::bernoulli_distribution(probability)(random);
      const bool fits = leaves + gain <= max_leaves;
      row.push_back(wanted && fits ? 1 : 0);
      if (wanted && fits) {
        leaves += gain;
        ++refined;
      }
    }
    if (refined == 0) {
      break;
    }
    levels.push_back(std::move(row));
    nodes = refined * shape.children();
  }
  return Tree(shape, std::move(levels));
}

/// A tree from rows such as {"1", "1000"}, as tree files have them.
inline Tree tree_of(Shape shape, const std::vector<std::string>& rows) {
  std::vector<std::vector<std::uint8_t>> levels;
  for (const std::string& row : rows) {
    std::vector<std::uint8_t>& level = levels.emplace_back();
    for (const char c : row) {
      level.push_back(c == '1' ? 1 : 0);
    }
  }
  return Tree(shape, std::move(levels));
}

/// The tree of the source page's pictures (I) to (IV).
inline Tree page_tree() { return tree_of({.k = 2, .d = 2}, {"1", "1000", "1000"}); }

}  // namespace cleave::splitting
