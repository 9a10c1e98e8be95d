#include "apps/uts/uts.hpp"

#include <fmt/format.h>

#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

/// Counts `siblings` and appends their children to `frontier`.
void visit(const PrinsTree& tree, const Siblings& siblings, TreeCounts& counts,
           std::vector<Siblings>& frontier) {
  ChildIds ids(siblings.parent.id);
  const std::uint32_t depth = siblings.parent.depth + 1;
  for (std::uint32_t i = siblings.first; i < siblings.last; ++i) {
    const Node node{.id = ids.child(i), .depth = depth};
    const std::uint32_t children = tree.children(node);
    if (children == 0) {
      ++counts.leaves;
    } else {
      frontier.push_back({.parent = node, .first = 0, .last = children});
    }
  }
  counts.nodes += siblings.last - siblings.first;
  counts.max_depth = std::max<std::int64_t>(counts.max_depth, depth);
}

}  // namespace

Forest whole_tree(const PrinsTree& tree) {
  return {.frontier = {{.parent = tree.root(), .first = 0, .last = tree.root_children}},
          .counted = {.nodes = 1, .leaves = 0, .max_depth = 0}};
}

std::int64_t Forest::size() const {
  std::int64_t nodes = 0;
  for (const Siblings& siblings : frontier) {
    nodes += siblings.last - siblings.first;
  }
  return nodes;
}

Forest Forest::take(std::int64_t n, splitting::Side side) {
  // Siblings in whole from the end, then a part of the next ones.
  const bool front = side == splitting::Side::front;
  std::size_t whole = 0;
  const auto next = [&]() -> Siblings& {
    return front ? frontier[whole] : frontier[frontier.size() - 1 - whole];
  };
  while (whole < frontier.size() && next().last - next().first <= n) {
    n -= next().last - next().first;
    ++whole;
  }
  Forest taken;
  const auto count = static_cast<std::ptrdiff_t>(whole);
  const auto from = front ? frontier.begin() : frontier.end() - count;
  taken.frontier.assign(from, from + count);
  if (n > 0) {
    Siblings& shared = next();
    const auto part = static_cast<std::uint32_t>(n);
    if (front) {
      taken.frontier.push_back({shared.parent, shared.first, shared.first + part});
      shared.first += part;
    } else {
      taken.frontier.insert(taken.frontier.begin(),
                            {shared.parent, shared.last - part, shared.last});
      shared.last -= part;
    }
  }
  frontier.erase(from, from + count);
  return taken;
}

TreeCounts Uts::sequential(Forest forest) const {
  TreeCounts counts = forest.counted;
  std::vector<Siblings> stack = std::move(forest.frontier);
  while (!stack.empty()) {
    const Siblings siblings = stack.back();
    stack.pop_back();
    visit(tree, siblings, counts, stack);
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
  while (!frontier.empty() && forest.size() < wanted &&
         forest.counted.nodes - counted_before < wanted) {
    const Siblings siblings = frontier.front();
    frontier.erase(frontier.begin());
    visit(tree, siblings, forest.counted, frontier);
  }
}

}  // namespace cleave
