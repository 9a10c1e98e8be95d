// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/exact_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "apps/splitting/offline/search_space.hpp"

namespace cleave::splitting {

namespace {

using detail::Mask;

/// One split of a part, as masks of final leaves.
struct MaskSplit {
  int stage = 0;
  Mask giver = 0;
  Mask moved = 0;
};

template <class Space>
class Search {
 public:
  using Part = typename Space::Part;

  Search(const Problem& problem, LoadWindow window, const Space& space)
      : problem_(problem), window_(window), space_(space) {}

  std::optional<std::vector<MaskSplit>> solve() {
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
    std::vector<MaskSplit> splits;
    const Mask whole = ~Mask{0} >> (64 - problem_.tree.leaves());
    collect(space_.root(), whole, best_parts, 0, splits);
    return splits;
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
    const std::string key = space_.key(part) + fmt::format(":{}:{}", parts, stage);
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

  void collect(const Part& part, Mask mask, int parts, int stage, std::vector<MaskSplit>& splits) {
    if (parts == 1) {
      return;
    }
    const Solved& best = solved(part, parts, stage);
    if (!best.splits) {
      collect(space_.grown(part, stage), mask, parts, stage + 1, splits);
      return;
    }
    const Mask moved = space_.pick(mask, best.moved, stage);
    splits.push_back({stage, mask, moved});
    collect(best.moved, moved, best.moved_parts, stage, splits);
    collect(best.rest, mask & ~moved, parts - best.moved_parts, stage, splits);
  }

  const Problem& problem_;
  LoadWindow window_;
  const Space& space_;
  std::unordered_map<std::string, Solved> known_;
  Index steps_ = 0;
};

/// Names givers and receivers and counts leaves of each stage.
PricedPlan plan_of_masks(const Problem& problem, const detail::SmallTree& tree,
                         std::vector<MaskSplit> splits) {
  std::stable_sort(splits.begin(), splits.end(),
                   [](const MaskSplit& a, const MaskSplit& b) { return a.stage < b.stage; });
  PricedPlan priced{.plan = {.processors = problem.processors, .mode = problem.mode}};
  std::vector<Mask> parts = {~Mask{0} >> (64 - problem.tree.leaves())};
  for (const MaskSplit& split : splits) {
    const auto giver = std::find(parts.begin(), parts.end(), split.giver);
    const auto positions = [&](Mask mask) {
      std::vector<Index> found;
      for (std::size_t i = 0; i < tree.stage(split.stage).size(); ++i) {
        if ((tree.stage(split.stage)[i].mask & mask) != 0) {
          found.push_back(static_cast<Index>(i));
        }
      }
      return found;
    };
    const LeafSet leaves = LeafSet::of_positions(positions(split.moved));
    priced.cost +=
        problem.cost({.n = leaves.size(),
                      .N = problem.tree.leaves_at_stage(split.stage),
                      .giver_leaves = static_cast<Index>(positions(split.giver).size())});
    priced.plan.splits.push_back({split.stage, static_cast<int>(giver - parts.begin()),
                                  static_cast<int>(parts.size()), leaves});
    *giver &= ~split.moved;
    parts.push_back(split.moved);
  }
  return priced;
}

}  // namespace

std::optional<PricedPlan> exact_search(const Problem& problem, LoadWindow window) {
  if (problem.tree.leaves() > kMaxSearchLeaves) {
    throw SearchTooLarge(
        fmt::format("the tree has {} leaves, the exact search in mode {} takes at "
                    "most {}",
                    problem.tree.leaves(), name_of(problem.mode), kMaxSearchLeaves));
  }
  if (problem.mode == Mode::any && !problem.weights.empty()) {
    throw Error("mode any plans leaves of weight 1 only");
  }
  if (window.minimum > 0 && problem.processors > problem.tree.leaves()) {
    return std::nullopt;
  }
  const detail::SmallTree tree(problem.tree);
  std::optional<std::vector<MaskSplit>> splits;
  if (problem.mode == Mode::any) {
    const detail::KindSpace space(problem.tree, tree);
    splits = Search(problem, window, space).solve();
  } else {
    const detail::SetSpace space(problem, tree);
    splits = Search(problem, window, space).solve();
  }
  if (!splits) {
    return std::nullopt;
  }
  return plan_of_masks(problem, tree, std::move(*splits));
}

}  // namespace cleave::splitting
