// SPDX-License-Identifier: Apache-2.0
// Small trees that the tests of the search visit.
#pragma once

#include <algorithm>
#include <cstdint>

#include <cleave/random.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::examples {

using namespace cleave::detail;

struct Counted {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t deepest = 0;
  std::int64_t sum = 0;  ///< of the nodes' numbers, so that each must have been visited

  friend bool operator==(const Counted&, const Counted&) = default;
};

/// A random tree without balance: a node has kMost children with a probability near 1 / kMost.
struct RandomTree {
  struct Node {
    std::uint64_t number = 0;
    std::int64_t depth = 0;
  };
  using Problem = Node;
  using Solution = Counted;

  int children_of_root = 200;

  /// Adds the node. \return  how many children it has
  std::uint64_t count(const Node& node, Counted& total) const {
    constexpr std::uint64_t kMax = 4;
    constexpr std::uint64_t kOfThousand = 240;
    ++total.nodes;
    total.sum += static_cast<std::int64_t>(node.number % 1000);
    total.deepest = std::max(total.deepest, node.depth);
    const std::uint64_t children = node.depth == 0                        ? children_of_root
                                   : random_of(node) % 1000 < kOfThousand ? kMax
                                                                          : 0;
    total.leaves += children == 0 ? 1 : 0;
    return children;
  }
  static Node child_of(const Node& parent, std::uint64_t index) {
    return {CounterRandom::mix(random_of(parent) + index), parent.depth + 1};
  }

  void visit(const Node& node, Children<Node>& children, Counted& total) const {
    const std::uint64_t all = count(node, total);
    for (std::uint64_t i = 0; i < all; ++i) {
      children.push(child_of(node, i));
    }
  }

  Counted combine(Counted left, const Counted& right) const {
    return {.nodes = left.nodes + right.nodes,
            .leaves = left.leaves + right.leaves,
            .deepest = std::max(left.deepest, right.deepest),
            .sum = left.sum + right.sum};
  }

  Sizes solution_sizes(const Counted& total) const { return {{"nodes", total.nodes}}; }

 private:
  static std::uint64_t random_of(const Node& node) {
    return CounterRandom::mix(node.number + 0x9e3779b97f4a7c15);
  }
};

/// A tree whose children are made when they are visited.
struct LazyTree : RandomTree {
  void visit(const Node& node, LazyChildren& children, Counted& total) const {
    children.lazy(static_cast<std::int64_t>(count(node, total)));
  }
  Node child(const Node& parent, std::int64_t index) const {
    return child_of(parent, static_cast<std::uint64_t>(index));
  }
};

}  // namespace cleave::examples
