// SPDX-License-Identifier: Apache-2.0
// The exact search. Parts are 64-bit masks of final leaves; what a part can be, and which splits it
// allows, is a space: one for parts as sets of leaves, one for parts as counts of exchangeable
// leaves.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>

#include "apps/splitting/planner.hpp"

namespace cleave::splitting {

namespace {

/// Bit c: final leaf c.
using Mask = std::uint64_t;

Mask mask_of(const Tree& tree, int level, Index node) {
  const Index count = tree.leaves_below(level, node);
  const Mask low = count >= 64 ? ~Mask{0} : (Mask{1} << count) - 1;
  return low << tree.first_leaf(level, node);
}

/// A leaf of the tree at one stage.
struct StageLeaf {
  Mask mask = 0;
  int parent = -1;   ///< number of the parent among the interior nodes, -1 for the root
  int becomes = -1;  ///< its own number if it refines in the next step, else -1
};

struct Interior {
  int parent = -1;
  std::vector<Mask> child_masks;
  std::vector<int> children;  ///< their numbers, -1 for leaves
};

/// A tree of at most 64 leaves with every node that the search asks about.
struct SmallTree {
  explicit SmallTree(const Tree& tree);

  std::vector<std::vector<StageLeaf>> stages;
  std::vector<std::vector<Mask>> nodes;  ///< by stage: every node of the tree cut below it
  std::vector<Interior> interior;        ///< root first, by level
};

SmallTree::SmallTree(const Tree& tree) {
  std::vector<std::vector<int>> number;  // by level and node
  int next = 0;
  for (int level = 0; level <= tree.l_max(); ++level) {
    auto& row = number.emplace_back();
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      row.push_back(tree.refined(level, node) ? next++ : -1);
    }
  }
  const auto parent_of = [&](int level, Index node) {
    return level == 0 ? -1 : number[level - 1][tree.parent(level, node)];
  };
  std::vector<Mask> so_far;
  Growth growth(tree);
  for (int s = 0; s <= tree.l_max(); ++s) {
    for (Index node = 0; node < tree.nodes_of_level(s); ++node) {
      so_far.push_back(mask_of(tree, s, node));
      if (tree.refined(s, node)) {
        Interior& here = interior.emplace_back();
        here.parent = parent_of(s, node);
        for (Index i = 0; i < tree.children(); ++i) {
          const Index child = tree.first_child(s, node) + i;
          here.child_masks.push_back(mask_of(tree, s + 1, child));
          here.children.push_back(number[s + 1][child]);
        }
      }
    }
    nodes.push_back(so_far);
    auto& leaves = stages.emplace_back();
    for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
      const int level = growth.level(leaf);
      const Index node = growth.node(leaf);
      leaves.push_back({mask_of(tree, level, node), parent_of(level, node), number[level][node]});
    }
    growth.advance();
  }
}

/// Parts as sets, for modes sfc, run, subtree and parent_owned.
class SetSpace {
 public:
  SetSpace(const Problem& problem, const SmallTree& tree) : problem_(problem), tree_(tree) {}

  struct Part {
    Mask leaves = 0;
    Mask interior = 0;  ///< interior nodes that the part owns; kept in mode parent_owned only
  };
  using Visit = std::function<void(const Part& moved, const Part& rest, Index n)>;

  Part root() const { return {mask_of(problem_.tree, 0, 0), 0}; }
  std::string key(const Part& part) const {
    return {reinterpret_cast<const char*>(&part), sizeof part};
  }
  Index load(const Part& part) const { return std::popcount(part.leaves); }
  /// Leaves of `part`, or those that `moved` names.
  Mask pick(Mask, const Part& moved, int) const { return moved.leaves; }

  /// The part at the stage after `stage`.
  Part grown(Part part, int stage) const {
    for (const StageLeaf& leaf : tree_.stages[stage]) {
      if (problem_.mode == Mode::parent_owned && leaf.becomes >= 0 &&
          (leaf.mask & part.leaves) != 0) {
        part.interior |= Mask{1} << leaf.becomes;
      }
    }
    return part;
  }

  Index leaves(const Part& part, int stage) const {
    return std::ranges::count_if(
        tree_.stages[stage], [&](const StageLeaf& leaf) { return (leaf.mask & part.leaves) != 0; });
  }

  void each_split(const Part& part, int stage, const Visit& visit) const {
    const auto visit_mask = [&](Mask moved) {
      if (moved != part.leaves) {
        const Part gone{moved, 0};
        visit(gone, {part.leaves & ~moved, 0}, leaves(gone, stage));
      }
    };
    if (problem_.mode == Mode::parent_owned) {
      each_parent_owned(part, stage, visit);
      return;
    }
    if (problem_.mode == Mode::subtree) {
      std::set<Mask> seen = {0};
      for (const Mask node : tree_.nodes[stage]) {
        if (seen.insert(node & part.leaves).second) {
          visit_mask(node & part.leaves);
        }
      }
      return;
    }
    std::vector<Mask> mine;
    for (const StageLeaf& leaf : tree_.stages[stage]) {
      if ((leaf.mask & part.leaves) != 0) {
        mine.push_back(leaf.mask);
      }
    }
    for (std::size_t begin = 0; begin < mine.size(); ++begin) {
      Mask moved = 0;
      for (std::size_t end = begin; end < mine.size(); ++end) {
        moved |= mine[end];
        if (problem_.mode == Mode::run || begin == 0 || end + 1 == mine.size()) {
          visit_mask(moved);
        }
      }
    }
  }

 private:
  void each_parent_owned(const Part& part, int stage, const Visit& visit) const {
    std::vector<Mask> movable;
    for (const StageLeaf& leaf : tree_.stages[stage]) {
      if ((leaf.mask & part.leaves) != 0 && leaf.parent >= 0 &&
          (part.interior >> leaf.parent & 1) != 0) {
        movable.push_back(leaf.mask);
      }
    }
    for (Mask chosen = 1; chosen < Mask{1} << movable.size(); ++chosen) {
      Part moved;
      for (std::size_t i = 0; i < movable.size(); ++i) {
        moved.leaves |= (chosen >> i & 1) != 0 ? movable[i] : 0;
      }
      if (moved.leaves == part.leaves) {
        continue;
      }
      // Interior nodes follow as in Ledger::take_over, deepest first.
      for (std::size_t i = tree_.interior.size(); i-- > 1;) {
        const Interior& node = tree_.interior[i];
        bool follows = (part.interior >> i & 1) != 0 && (part.interior >> node.parent & 1) != 0;
        for (std::size_t c = 0; follows && c < node.children.size(); ++c) {
          const bool child_is_interior =
              node.children[c] >= 0 && (part.interior >> node.children[c] & 1) != 0;
          follows = child_is_interior ? (moved.interior >> node.children[c] & 1) != 0
                                      : (node.child_masks[c] & ~moved.leaves) == 0;
        }
        if (follows) {
          moved.interior |= Mask{1} << i;
        }
      }
      visit(moved, {part.leaves & ~moved.leaves, part.interior & ~moved.interior},
            std::popcount(chosen));
    }
  }

  const Problem& problem_;
  const SmallTree& tree_;
};

/// Parts as how many leaves of each kind they hold, for mode any. Two leaves are of one kind if the
/// subtrees that will grow below them are equal up to the order of children.
class KindSpace {
 public:
  KindSpace(const Problem& problem, const SmallTree& tree) : tree_(tree), kinds_(1) {
    std::map<std::vector<int>, int> known = {{{}, 0}};
    std::vector<int> kind_of_interior(tree.interior.size());
    const auto kind_of = [&](int number) {
      return number < 0 ? 0 : kind_of_interior[static_cast<std::size_t>(number)];
    };
    for (std::size_t i = tree.interior.size(); i-- > 0;) {
      Kind kind{.leaves = 0};
      for (const int child : tree.interior[i].children) {
        kind.children.push_back(kind_of(child));
        kind.leaves += kinds_[static_cast<std::size_t>(kind_of(child))].leaves;
      }
      std::ranges::sort(kind.children);
      const auto [place, is_new] = known.try_emplace(kind.children, std::ssize(kinds_));
      kind_of_interior[i] = place->second;
      if (is_new) {
        kinds_.push_back(std::move(kind));
      }
    }
    for (int s = 0; s <= problem.tree.l_max(); ++s) {
      auto& kinds = kind_of_.emplace_back();
      for (const StageLeaf& leaf : tree.stages[s]) {
        kinds.push_back(kind_of(leaf.becomes));
      }
    }
  }

  using Part = std::string;  ///< by kind: a count
  using Visit = std::function<void(const Part& moved, const Part& rest, Index n)>;

  Part root() const {
    Part part(kinds_.size(), '\0');
    part[static_cast<std::size_t>(kind_of_[0][0])] = 1;
    return part;
  }

  std::string key(const Part& part) const { return part; }

  Part grown(const Part& part, int) const {
    Part next(kinds_.size(), '\0');
    next[0] = part[0];
    for (std::size_t kind = 1; kind < kinds_.size(); ++kind) {
      for (const int child : kinds_[kind].children) {
        char& count = next[static_cast<std::size_t>(child)];
        count = static_cast<char>(count + part[kind]);
      }
    }
    return next;
  }

  Index load(const Part& part) const {
    Index load = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      load += part[kind] * kinds_[kind].leaves;
    }
    return load;
  }

  Index leaves(const Part& part, int) const {
    return std::accumulate(part.begin(), part.end(), Index{0});
  }

  void each_split(const Part& part, int stage, const Visit& visit) const {
    const Index all = leaves(part, stage);
    Part moved(kinds_.size(), '\0');
    Part rest = part;
    Index n = 0;
    while (true) {
      // Count up, kind by kind, like an odometer.
      std::size_t kind = 0;
      while (kind < kinds_.size() && rest[kind] == 0) {
        n -= moved[kind];
        std::swap(rest[kind], moved[kind]);
        ++kind;
      }
      if (kind == kinds_.size()) {
        return;
      }
      --rest[kind];
      ++moved[kind];
      ++n;
      if (2 * n <= all && n < all) {  // the other half are the same splits with the sides swapped
        visit(moved, rest, n);
      }
    }
  }

  /// Leaves of `part` with the counts of `moved`.
  Mask pick(Mask part, Part moved, int stage) const {
    Mask picked = 0;
    const auto& leaves = tree_.stages[stage];
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      char& count = moved[static_cast<std::size_t>(kind_of_[stage][i])];
      if ((leaves[i].mask & part) != 0 && count > 0) {
        --count;
        picked |= leaves[i].mask;
      }
    }
    return picked;
  }

 private:
  struct Kind {
    std::vector<int> children;  ///< kinds, rising; empty for a final leaf
    Index leaves = 1;
  };
  const SmallTree& tree_;
  std::vector<Kind> kinds_;                // 0: a final leaf
  std::vector<std::vector<int>> kind_of_;  // by stage and stage leaf
};

/// Processors do not interact: once a part has left its giver, both are split further on their own.
/// The least cost of spreading a part over m processors from a stage on is the smaller of waiting
/// and of any legal split into two parts with m1 + m2 = m.
template <class Space>
class Search {
 public:
  using Part = typename Space::Part;

  Search(const Problem& problem, LoadWindow window, const SmallTree& tree)
      : problem_(problem), window_(window), tree_(tree), space_(problem, tree) {}

  std::optional<Planned> solve() {
    const Index max_parts = std::min<Index>(problem_.processors, problem_.tree.leaves());
    const Index fewest_parts = window_.minimum > 0 ? problem_.processors : 1;
    double best = kInfinite;
    int best_parts = 0;
    for (Index parts = fewest_parts; parts <= max_parts; ++parts) {
      const double cost = min_cost(space_.root(), static_cast<int>(parts), 0);
      if (cost < best) {
        best = cost;
        best_parts = static_cast<int>(parts);
      }
    }
    if (best == kInfinite) {
      return std::nullopt;
    }
    Planned planned{.plan = {.processors = problem_.processors, .mode = problem_.mode},
                    .cost = best};
    auto& splits = planned.plan.splits;
    collect(space_.root(), mask_of(problem_.tree, 0, 0), best_parts, 0, 0, splits);
    // Receivers by stage, so that they fill one after the other.
    std::ranges::stable_sort(splits, {}, &Split::stage);
    std::vector<int> number(splits.size() + 1);
    for (std::size_t i = 0; i < splits.size(); ++i) {
      number[static_cast<std::size_t>(splits[i].receiver)] = static_cast<int>(i) + 1;
      splits[i].giver = number[static_cast<std::size_t>(splits[i].giver)];
      splits[i].receiver = static_cast<int>(i) + 1;
    }
    return planned;
  }

 private:
  struct Solved {
    double cost = kInfinite;
    bool splits = false;  // or waits
    Part moved;
    Part rest;
    int moved_parts = 0;
  };

  bool can_fit(const Part& part, int parts) const {
    const Index load = space_.load(part);
    return parts * window_.minimum <= load && load <= parts * window_.maximum;
  }

  double min_cost(const Part& part, int parts, int stage) {
    if (!can_fit(part, parts)) {
      return kInfinite;
    }
    return parts == 1 ? 0 : solved(part, parts, stage).cost;
  }

  const Solved& solved(const Part& part, int parts, int stage) {
    const std::string key =
        space_.key(part) + static_cast<char>(parts) + static_cast<char>(stage);  // at most 64
    if (const auto known = known_.find(key); known != known_.end()) {
      return known->second;
    }
    Solved best;
    if (stage < problem_.tree.l_max()) {
      best.cost = min_cost(space_.grown(part, stage), parts, stage + 1);
    }
    const Index leaves = space_.leaves(part, stage);
    space_.each_split(part, stage, [&](const Part& moved, const Part& rest, Index n) {
      if (++steps_ > kMaxSearchSteps) {
        throw SearchTooLarge(fmt::format("the exact search in mode {} takes more than {} steps",
                                         name_of(problem_.mode), kMaxSearchSteps));
      }
      const double price = problem_.cost(
          {.n = n, .N = problem_.tree.leaves_at_stage(stage), .giver_leaves = leaves});
      for (int moved_parts = 1; moved_parts < parts && price < best.cost; ++moved_parts) {
        if (!can_fit(moved, moved_parts) || !can_fit(rest, parts - moved_parts)) {
          continue;
        }
        double cost = price + min_cost(moved, moved_parts, stage);
        if (cost < best.cost) {
          cost += min_cost(rest, parts - moved_parts, stage);
        }
        if (cost < best.cost) {
          best = {cost, true, moved, rest, moved_parts};
        }
      }
    });
    return known_.emplace(key, std::move(best)).first->second;
  }

  /// The splits of a part of `giver` from `stage` on, each before those of its sides.
  void collect(const Part& part, Mask mask, int parts, int stage, int giver,
               std::vector<Split>& splits) {
    if (parts == 1) {
      return;
    }
    const Solved& best = solved(part, parts, stage);
    if (!best.splits) {
      collect(space_.grown(part, stage), mask, parts, stage + 1, giver, splits);
      return;
    }
    const Mask moved = space_.pick(mask, best.moved, stage);
    const auto& leaves = tree_.stages[stage];
    std::vector<Index> positions;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if ((leaves[i].mask & moved) != 0) {
        positions.push_back(static_cast<Index>(i));
      }
    }
    const int receiver = static_cast<int>(splits.size()) + 1;
    splits.push_back({stage, giver, receiver, LeafSet::of_positions(positions)});
    collect(best.moved, moved, best.moved_parts, stage, receiver, splits);
    collect(best.rest, mask & ~moved, parts - best.moved_parts, stage, giver, splits);
  }

  const Problem& problem_;
  LoadWindow window_;
  const SmallTree& tree_;
  Space space_;
  std::unordered_map<std::string, Solved> known_;
  Index steps_ = 0;
};

}  // namespace

std::optional<Planned> exact_search(const Problem& problem, LoadWindow window) {
  if (problem.tree.leaves() > kMaxSearchLeaves) {
    throw SearchTooLarge(
        fmt::format("the tree has {} leaves, the exact search in mode {} takes at most {}",
                    problem.tree.leaves(), name_of(problem.mode), kMaxSearchLeaves));
  }
  if (window.minimum > 0 && problem.processors > problem.tree.leaves()) {
    return std::nullopt;
  }
  const SmallTree tree(problem.tree);
  return problem.mode == Mode::any ? Search<KindSpace>(problem, window, tree).solve()
                                   : Search<SetSpace>(problem, window, tree).solve();
}

}  // namespace cleave::splitting
