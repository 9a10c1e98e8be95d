// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/subtree_plan.hpp"

#include <algorithm>

#include "apps/splitting/ledger/ledger.hpp"

namespace cleave::splitting {

namespace {

struct Node {
  int level = 0;
  Index index = 0;
};

/// The nodes to cut off, by level, so that no part holds more than `most`.
std::vector<Node> nodes_to_cut(const Problem& problem, Index maximum) {
  const Tree& tree = problem.tree;
  std::vector<Node> cuts;
  std::vector<Index> below;  // loads that nodes of the level below keep
  for (int level = tree.l_max(); level >= 0; --level) {
    std::vector<Index> here;
    here.reserve(static_cast<std::size_t>(tree.nodes_of_level(level)));
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      if (!tree.refined(level, node)) {
        const auto leaf = static_cast<std::size_t>(tree.first_leaf(level, node));
        here.push_back(problem.weights.empty() ? 1 : problem.weights[leaf]);
        continue;
      }
      const Index first = tree.first_child(level, node);
      std::vector<Node> children;
      Index load = 0;
      for (Index child = first; child < first + tree.children(); ++child) {
        children.push_back({level + 1, child});
        load += below[static_cast<std::size_t>(child)];
      }
      std::stable_sort(children.begin(), children.end(), [&](const Node& a, const Node& b) {
        return below[static_cast<std::size_t>(a.index)] > below[static_cast<std::size_t>(b.index)];
      });
      for (std::size_t i = 0; load > maximum && i + 1 < children.size(); ++i) {
        load -= below[static_cast<std::size_t>(children[i].index)];
        cuts.push_back(children[i]);
      }
      here.push_back(load);
    }
    below = std::move(here);
  }
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const Node& a, const Node& b) { return a.level < b.level; });
  return cuts;
}

PricedPlan plan_of_nodes(const Problem& problem, const std::vector<Node>& cuts) {
  Ledger ledger(problem.tree, problem.processors, problem.mode, problem.cost);
  int receiver = 0;
  for (const Node& cut : cuts) {
    while (ledger.growth().stage() < cut.level) {
      ledger.advance();
    }
    const Index leaf = ledger.growth().leaf_at(problem.tree.first_leaf(cut.level, cut.index));
    ledger.split(ledger.owner(cut.level, cut.index), ++receiver, LeafSet(LeafRun{leaf, leaf + 1}));
  }
  return {.plan = ledger.plan(), .cost = ledger.cost()};
}

/// The heaviest leaf: no part can hold less.
Index min_possible(const Problem& problem) {
  return problem.weights.empty()
             ? 1
             : *std::max_element(problem.weights.begin(), problem.weights.end());
}

}  // namespace

PricedPlan plan_by_subtrees(const Problem& problem) {
  Index low = min_possible(problem);
  Index high = total_load(problem);
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (static_cast<Index>(nodes_to_cut(problem, middle).size()) < problem.processors) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return plan_of_nodes(problem, nodes_to_cut(problem, low));
}

std::optional<PricedPlan> plan_by_subtrees(const Problem& problem, Index maximum) {
  if (maximum < min_possible(problem)) {
    return std::nullopt;
  }
  const std::vector<Node> cuts = nodes_to_cut(problem, maximum);
  if (static_cast<Index>(cuts.size()) >= problem.processors) {
    return std::nullopt;
  }
  return plan_of_nodes(problem, cuts);
}

}  // namespace cleave::splitting
