#include "apps/uts/uts.hpp"

#include <fmt/format.h>

#include "skeleton/trace/error.hpp"

namespace cleave {

Forest whole_tree(const PrinsTree& tree) {
  return {.frontier = {{.parent = tree.root(), .first = 0, .last = tree.root_children}},
          .counted = {.nodes = 1, .leaves = 0, .max_depth = 0}};
}

std::int64_t frontier_of(const Forest& forest) {
  std::int64_t nodes = 0;
  for (const Siblings& siblings : forest.frontier) {
    nodes += siblings.last - siblings.first;
  }
  return nodes;
}

TreeCounts Uts::sequential(Forest forest) const {
  TreeCounts counts = forest.counted;
  std::vector<Siblings> stack = std::move(forest.frontier);
  while (!stack.empty()) {
    const Siblings siblings = stack.back();
    stack.pop_back();
    visit_siblings(tree, siblings, counts, [&](const Siblings& below) { stack.push_back(below); });
    if (counts.nodes > max_nodes) {
      throw Error(fmt::format("the tree has more than {} nodes (--max-nodes)", max_nodes));
    }
  }
  return counts;
}

void Uts::expand(Forest& forest, int ranks) const {
  const std::int64_t wanted = kFrontierPerRank * ranks;
  const std::int64_t counted_before = forest.counted.nodes;
  std::vector<Siblings>& frontier = forest.frontier;
  while (!frontier.empty() && frontier_of(forest) < wanted &&
         forest.counted.nodes - counted_before < wanted) {
    const Siblings siblings = frontier.front();
    frontier.erase(frontier.begin());
    visit_siblings(tree, siblings, forest.counted,
                   [&](const Siblings& below) { frontier.push_back(below); });
  }
}

Halves<Forest> Uts::cut(const Forest& forest, std::int64_t left) {
  Halves<Forest> halves;
  halves.left.counted = forest.counted;
  for (const Siblings& siblings : forest.frontier) {
    const auto to_left =
        static_cast<std::uint32_t>(std::min<std::int64_t>(left, siblings.last - siblings.first));
    const std::uint32_t middle = siblings.first + to_left;
    left -= to_left;
    if (siblings.first < middle) {
      halves.left.frontier.push_back({siblings.parent, siblings.first, middle});
    }
    if (middle < siblings.last) {
      halves.right.frontier.push_back({siblings.parent, middle, siblings.last});
    }
  }
  return halves;
}

}  // namespace cleave
