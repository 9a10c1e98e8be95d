// SPDX-License-Identifier: Apache-2.0
// Small trees for property tests.
#pragma once

#include <random>
#include <vector>

#include "apps/splitting/tree.hpp"

namespace cleave::splitting {

/// A tree of at most `max_leaves` leaves, often skewed.
inline Tree random_small_tree(std::mt19937_64& random, Shape shape, int l_max, Index max_leaves) {
  const int gain = shape.children() - 1;
  const double probability = std::uniform_real_distribution(0.1, 0.9)(random);
  std::vector<std::vector<std::uint8_t>> levels = {{1}};
  Index leaves = 1 + gain;
  for (Index refined = 1; std::ssize(levels) < l_max && refined > 0;) {
    levels.emplace_back(refined * shape.children());
    refined = 0;
    for (std::uint8_t& node : levels.back()) {
      const bool wanted = std::bernoulli_distribution(probability)(random);
      node = wanted && leaves + gain <= max_leaves ? 1 : 0;
      leaves += node * gain;
      refined += node;
    }
  }
  return Tree(shape, std::move(levels));
}

/// The tree of the source page's pictures (I) to (IV).
inline Tree page_tree() { return parse_tree("page", "2 2\n1\n1000\n1000\n"); }

}  // namespace cleave::splitting
