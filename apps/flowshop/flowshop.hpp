// SPDX-License-Identifier: Apache-2.0
// Branch-and-bound as a tree search by any number of workers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <cleave/tree_search.hpp>

#include "apps/flowshop/branching.hpp"

namespace cleave::flowshop {

/// The first incumbent of a search.
struct Start {
  int incumbent = kNoMakespan;               ///< better ones are searched for
  std::optional<Permutation> permutation{};  ///< of this makespan, if it is known
};

/// If the incumbent is the optimum from the start, the counts depend on nothing but the bound and
/// the branching rule; else also on when which worker finds what.
struct Flowshop {
  using Problem = Start;
  using Solution = SearchResult;
  using Node = flowshop::Node;

  Brancher brancher;

  std::int64_t first_incumbent(const Start& start) const { return start.incumbent; }

  void begin(Start start, Children<Node>& children, SearchResult& total) const {
    total.makespan = start.incumbent;
    total.permutation = std::move(start.permutation);
    children.push(brancher.root());
  }

  void visit(const Node& node, Children<Node>& children, SearchResult& total,
             Incumbent<>& incumbent) const {
    if (node.is_leaf()) {
      ++total.leaves;
      const int makespan = brancher.leaf_makespan(node);
      if (incumbent.offer(makespan)) {
        total.makespan = makespan;
        total.permutation = brancher.leaf_permutation(node);
      }
      return;
    }
    const auto minimum = static_cast<int>(incumbent.value());
    total.explored += static_cast<std::int64_t>(brancher.append_children(
        node, minimum, [&children](std::size_t count) { return children.append(count); }));
  }

  SearchResult combine(SearchResult left, SearchResult right) const {
    SearchResult& better = right.makespan < left.makespan ? right : left;
    return {.explored = left.explored + right.explored,
            .leaves = left.leaves + right.leaves,
            .makespan = better.makespan,
            .permutation = std::move(better.permutation)};
  }

  Sizes solution_sizes(const SearchResult& total) const { return {{"nodes", total.explored}}; }
};

}  // namespace cleave::flowshop
