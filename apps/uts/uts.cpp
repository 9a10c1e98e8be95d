#include "apps/uts/uts.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <variant>

#include "skeleton/trace/error.hpp"

namespace cleave::uts {

namespace {

/// Stores the nodes among `ids` that have children. Whether one has is as good as random, so that a
/// branch would often be predicted wrongly; all are stored, and a leaf overwritten by the next.
template <class Rule>
Siblings* store_interior(const Rule& children_of, const NodeId* ids, std::uint32_t count,
                         std::uint32_t depth, Siblings* next) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t children = children_of(ids[i].back());
    *next = {.parent = {.id = ids[i], .depth = depth}, .first = 0, .last = children};
    next += children != 0 ? 1 : 0;
  }
  return next;
}

}  // namespace

Siblings* Uts::visit(const Siblings& siblings, TreeCounts& counts, Siblings* next) const {
  assert(siblings.last - siblings.first <= kMostSiblings);
  std::array<NodeId, kMostSiblings> ids;
  const std::uint32_t count = siblings.last - siblings.first;
  const std::uint32_t depth = siblings.parent.depth + 1;
  for (int i = 0; i < granularity; ++i) {
    child_ids(siblings.parent.id, siblings.first, count, ids.data());
  }
  Siblings* end = next;
  if (const ChildRule* const rule = tree.rule(depth)) {
    end = std::visit(
        [&](const auto& children_of) {
          return store_interior(children_of, ids.data(), count, depth, next);
        },
        *rule);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t children = tree.children(ids[i], depth);
      if (children != 0) {
        *end++ = {.parent = {.id = ids[i], .depth = depth}, .first = 0, .last = children};
      }
    }
  }
  counts.nodes += count;
  counts.leaves += count - (end - next);
  counts.max_depth = std::max<std::int64_t>(counts.max_depth, depth);
  return end;
}

Forest whole_tree(const Tree& tree) {
  const std::uint32_t children = tree.root_children();
  Forest forest;
  forest.counted = {.nodes = 1, .leaves = children == 0 ? 1 : 0, .max_depth = 0};
  for (std::uint32_t first = 0; first < children; first += kMostSiblings) {
    forest.frontier.push_back({.parent = {.id = tree.root_id(), .depth = 0},
                               .first = first,
                               .last = std::min(children, first + kMostSiblings)});
  }
  return forest;
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
  std::size_t size = stack.size();
  stack.resize(size + kMostSiblings);
  while (size != 0) {
    const Siblings siblings = stack[--size];
    size = static_cast<std::size_t>(visit(siblings, counts, &stack[size]) - stack.data());
    if (counts.nodes > max_nodes) {
      throw Error(fmt::format("the tree has more than {} nodes (--max-nodes)", max_nodes));
    }
    if (size + kMostSiblings > stack.size()) {
      stack.resize(2 * stack.size());
      if (static_cast<std::int64_t>(stack.size() * sizeof(Siblings)) > max_memory) {
        throw Error(fmt::format("the search takes more than {} bytes (--max-memory)", max_memory));
      }
    }
  }
  return counts;
}

void Uts::expand(Forest& forest, int ranks) const {
  const std::int64_t wanted = kFrontierPerRank * ranks;
  const std::int64_t counted_before = forest.counted.nodes;
  std::vector<Siblings>& frontier = forest.frontier;
  std::array<Siblings, kMostSiblings> next;
  while (!frontier.empty() && frontier_of(forest) < wanted &&
         forest.counted.nodes - counted_before < wanted) {
    const Siblings siblings = frontier.front();
    frontier.erase(frontier.begin());
    frontier.insert(frontier.end(), next.data(), visit(siblings, forest.counted, next.data()));
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

}  // namespace cleave::uts
