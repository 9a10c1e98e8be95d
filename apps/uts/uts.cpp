#include "apps/uts/uts.hpp"

#include <fmt/format.h>

#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

/// Counts `node` and appends its children to `nodes`.
void visit(const PrinsTree& tree, const Node& node, TreeCounts& counts, std::vector<Node>& nodes) {
  const std::uint32_t children = tree.children(node);
  ++counts.nodes;
  counts.leaves += children == 0 ? 1 : 0;
  counts.max_depth = std::max<std::int64_t>(counts.max_depth, node.depth);
  if (children == 0) {
    return;
  }
  ChildIds ids(node.id);
  for (std::uint32_t i = 0; i < children; ++i) {
    nodes.push_back({.id = ids.child(i), .depth = node.depth + 1});
  }
}

}  // namespace

TreeCounts Uts::sequential(Forest forest) const {
  TreeCounts counts = forest.counted;
  std::vector<Node> stack = std::move(forest.frontier);
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    visit(tree, node, counts, stack);
    if (counts.nodes > max_nodes) {
      throw Error(fmt::format("the tree has more than {} nodes (--max-nodes)", max_nodes));
    }
  }
  return counts;
}

void Uts::expand(Forest& forest, int ranks) const {
  const std::size_t wanted = kFrontierPerRank * static_cast<std::size_t>(ranks);
  std::vector<Node>& nodes = forest.frontier;
  std::size_t visited = 0;
  while (visited < nodes.size() && visited < wanted && nodes.size() - visited < wanted) {
    const Node node = nodes[visited];
    visit(tree, node, forest.counted, nodes);
    ++visited;
  }
  nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(visited));
}

}  // namespace cleave
