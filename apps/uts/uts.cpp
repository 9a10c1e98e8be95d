// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/uts.hpp"

#include <array>
#include <span>
#include <variant>

namespace cleave::uts {

namespace {

/// Nodes that are hashed together, and those of them that have children.
struct Visited {
  NodeIds ids;
  std::array<std::uint32_t, NodeIds::kMax> positions;  ///< of those with children
  std::array<std::uint32_t, NodeIds::kMax> children;   ///< how many
  std::uint32_t with_children = 0;
};

/// Whether a node has children is as good as random, so that a branch would often be predicted
/// wrongly: all are stored, and a leaf is overwritten by the next.
template <class Rule>
void select(const Rule& children_of, std::uint32_t first, std::uint32_t last, Visited& visited) {
  std::uint32_t count = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t children = children_of(visited.ids.words.back()[i]);
    visited.positions[count] = i;
    visited.children[count] = children;
    count += children != 0 ? 1 : 0;
  }
  visited.with_children = count;
}

bool has_no_children(const ChildRule& rule) {
  const auto* const binomial = std::get_if<BinomialRule>(&rule);
  return binomial != nullptr && binomial->children == 0;
}

/// Selects, of the nodes [first, last) at `depth`, those that have children.
void select_at(std::uint32_t depth, const Tree& tree, std::uint32_t first, std::uint32_t last,
               Visited& visited) {
  const ChildRule* const rule = tree.rule(depth);
  visited.with_children = 0;
  if (rule == nullptr) {
    select(
        [&](std::uint32_t word) {
          return tree.children({0, 0, 0, 0, word}, depth);
        },
        first, last, visited);
  } else if (!has_no_children(*rule)) {
    std::visit([&](const auto& children_of) { select(children_of, first, last, visited); }, *rule);
  }
}

}  // namespace

void Uts::visit(std::span<Siblings> siblings, Children<Siblings>& children,
                TreeCounts& total) const {
  Visited visited;
  while (!siblings.empty()) {
    std::size_t groups = 0;
    std::uint32_t count = 0;
    while (groups < siblings.size() && count + siblings[groups].size() <= NodeIds::kMax) {
      count += siblings[groups++].size();
    }
    const std::span<Siblings> together = siblings.first(groups);
    siblings = siblings.subspan(groups);
    for (int i = 0; i < granularity; ++i) {
      child_ids(together, visited.ids);
    }
    total.nodes += count;
    total.leaves += count;
    std::uint32_t first = 0;
    for (auto next = together.begin(); next != together.end();) {
      // Nodes of one depth follow one rule. Long loops are predicted well.
      const std::uint32_t depth = next->parent.depth + 1;
      std::uint32_t last = first;
      for (; next != together.end() && next->parent.depth + 1 == depth; ++next) {
        last += next->size();
      }
      select_at(depth, tree, first, last, visited);
      first = last;
      total.leaves -= visited.with_children;
      total.max_depth = std::max<std::int64_t>(total.max_depth, depth);
      const std::span<Siblings> pushed = children.append(visited.with_children);
      for (std::uint32_t i = 0; i < visited.with_children; ++i) {
        pushed[i] = {.parent = {.id = visited.ids[visited.positions[i]], .depth = depth},
                     .first = 0,
                     .last = visited.children[i]};
      }
    }
  }
}

void Uts::begin(const Forest& forest, Children<Siblings>& children, TreeCounts& total) const {
  total = combine(total, forest.counted);
  for (const Siblings& siblings : forest.frontier) {
    children.push(siblings);
  }
}

Forest whole_tree(const Tree& tree) {
  const std::uint32_t children = tree.root_children();
  Forest forest;
  forest.counted = {.nodes = 1, .leaves = children == 0 ? 1 : 0, .max_depth = 0};
  for (std::uint32_t first = 0; first < children; first += kMaxSiblings) {
    forest.frontier.push_back({.parent = {.id = tree.root_id(), .depth = 0},
                               .first = first,
                               .last = std::min(children, first + kMaxSiblings)});
  }
  return forest;
}

std::int64_t Forest::size() const {
  std::int64_t nodes = 0;
  for (const Siblings& siblings : frontier) {
    nodes += siblings.size();
  }
  return nodes;
}

Forest Forest::take(std::int64_t n) {
  // Siblings in whole, then a part of the next ones.
  auto next = frontier.begin();
  while (next != frontier.end() && next->size() <= n) {
    n -= next->size();
    ++next;
  }
  Forest taken{.frontier = {frontier.begin(), next}, .counted = {}};
  if (n > 0) {
    const std::uint32_t end = next->first + static_cast<std::uint32_t>(n);
    taken.frontier.push_back({next->parent, next->first, end});
    next->first = end;
  }
  frontier.erase(frontier.begin(), next);
  return taken;
}

void Uts::expand(Forest& forest, int ranks) const {
  const std::int64_t wanted = kFrontierPerRank * ranks;
  const std::int64_t counted_before = forest.counted.nodes;
  std::vector<Siblings>& frontier = forest.frontier;
  while (!frontier.empty() && forest.size() < wanted &&
         forest.counted.nodes - counted_before < wanted) {
    Siblings siblings = frontier.front();
    frontier.erase(frontier.begin());
    detail::SplitDeque<Siblings> below;
    Children<Siblings> children(below);
    visit(std::span(&siblings, 1), children, forest.counted);
    const std::span<const Siblings> found = below.nodes();
    frontier.insert(frontier.end(), found.begin(), found.end());
  }
}

}  // namespace cleave::uts
