// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/uts.hpp"

#include <array>
#include <cassert>
#include <span>
#include <variant>

#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

/// Those of some siblings that have children.
struct Interior {
  std::array<NodeId, kMaxSiblings> ids;               ///< of all siblings
  std::array<std::uint32_t, kMaxSiblings> positions;  ///< among them, of those with children
  std::array<std::uint32_t, kMaxSiblings> children;   ///< how many
  std::uint32_t count;
};

/// Whether a node has children is as good as random, so that a branch would often be predicted
/// wrongly: all are stored, and a leaf is overwritten by the next.
template <class Rule>
void select(const Rule& children_of, std::uint32_t siblings, Interior& interior) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < siblings; ++i) {
    const std::uint32_t children = children_of(interior.ids[i].back());
    interior.positions[count] = i;
    interior.children[count] = children;
    count += children != 0 ? 1 : 0;
  }
  interior.count = count;
}

bool has_no_children(const ChildRule& rule) {
  const auto* const binomial = std::get_if<BinomialRule>(&rule);
  return binomial != nullptr && binomial->children == 0;
}

}  // namespace

void Uts::visit(const Siblings& siblings, Children<Siblings>& children, TreeCounts& total) const {
  assert(siblings.last - siblings.first <= kMaxSiblings);
  const std::uint32_t count = siblings.last - siblings.first;
  const std::uint32_t depth = siblings.parent.depth + 1;
  Interior interior;
  for (int i = 0; i < granularity; ++i) {
    child_ids(siblings.parent.id, siblings.first, count, interior.ids.data());
  }
  const ChildRule* const rule = tree.rule(depth);
  if (rule != nullptr && has_no_children(*rule)) {
    // Where nothing depends on their ids, the processor begins with the next visit at once.
    interior.count = 0;
  } else if (rule == nullptr) {
    select(
        [&](std::uint32_t word) {
          return tree.children({0, 0, 0, 0, word}, depth);
        },
        count, interior);
  } else {
    std::visit([&](const auto& children_of) { select(children_of, count, interior); }, *rule);
  }
  total.nodes += count;
  total.leaves += count - interior.count;
  total.max_depth = std::max<std::int64_t>(total.max_depth, depth);
  const std::span<Siblings> pushed = children.append(interior.count);
  for (std::uint32_t i = 0; i < interior.count; ++i) {
    pushed[i] = {.parent = {.id = interior.ids[interior.positions[i]], .depth = depth},
                 .first = 0,
                 .last = interior.children[i]};
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
    nodes += siblings.last - siblings.first;
  }
  return nodes;
}

Forest Forest::take(std::int64_t n, Side side) {
  // Siblings in whole from the end, then a part of the next ones.
  const bool front = side == Side::front;
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

void Uts::expand(Forest& forest, int ranks) const {
  const std::int64_t wanted = kFrontierPerRank * ranks;
  const std::int64_t counted_before = forest.counted.nodes;
  std::vector<Siblings>& frontier = forest.frontier;
  detail::SplitDeque<Siblings> below;
  Children<Siblings> children(below);
  while (!frontier.empty() && forest.size() < wanted &&
         forest.counted.nodes - counted_before < wanted) {
    const Siblings siblings = frontier.front();
    frontier.erase(frontier.begin());
    visit(siblings, children, forest.counted);
    const std::span<const Siblings> found = below.nodes();
    frontier.insert(frontier.end(), found.begin(), found.end());
    below.clear();
  }
}

}  // namespace cleave::uts
