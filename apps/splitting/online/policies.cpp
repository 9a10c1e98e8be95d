// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/splitting/online/expectation.hpp"
#include "apps/splitting/online/policy.hpp"

namespace cleave::splitting {

namespace {

/// The next split of dealing all leaves of processor 0 out to every empty one, in equal shares.
std::optional<Give> deal_out(const OnlineView& view) {
  if (view.leaves_of(0) < 2) {
    return std::nullopt;
  }
  const Index share = view.leaves_of(0) / (view.empty_processors() + 1);
  return Give{.receiver = view.first_empty(), .n = std::max<Index>(share, 1)};
}

std::optional<Give> halve_heaviest(const OnlineView& view, Index min_leaves) {
  const int giver = view.heaviest();
  const Index leaves = view.leaves_of(giver);
  if (leaves < std::max<Index>(min_leaves, 2)) {
    return std::nullopt;
  }
  return Give{.giver = giver, .receiver = view.first_empty(), .n = leaves / 2};
}

/// Splits that all parts need to hold at most `most` leaves each.
Index splits_needed(const OnlineView& view, Index maximum) {
  Index splits = 0;
  for (int p = 0; p < view.processors(); ++p) {
    splits += std::max<Index>(0, (view.leaves_of(p) + maximum - 1) / maximum - 1);
  }
  return splits;
}

/// The next split that brings the maximum as low as the empty processors allow; none if it is
/// there.
std::optional<Give> lower_maximum(const OnlineView& view) {
  Index low = 1;
  Index high = view.leaves_of(view.heaviest());
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (splits_needed(view, middle) <= view.empty_processors()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const int giver = view.heaviest();
  const Index leaves = view.leaves_of(giver);
  if (leaves <= low) {
    return std::nullopt;
  }
  const Index parts = (leaves + low - 1) / low;
  return Give{.giver = giver, .receiver = view.first_empty(), .n = leaves / parts};
}

/// `early`, and on the last stage whatever lowers the maximum.
Policy lowering_maximum_at_last(Policy early) {
  return [early = std::move(early)](const OnlineView& view) {
    return view.last_stage() ? lower_maximum(view) : early(view);
  };
}

/// What dealing `leaves` out to all processors of the view costs if the tree has N leaves.
double price_of_dealing_out(const OnlineView& view, Index N, const CostModel& cost) {
  double price = 0;
  Index left = N;
  for (int shares = view.processors(); shares > 1 && left > 1; --shares) {
    const Index n = std::max<Index>(left / shares, 1);
    price += cost({.n = n, .N = N, .giver_leaves = left});
    left -= n;
  }
  return price;
}

/// How many of `processors` each part should become, in proportion to its weight; at least 1.
std::vector<int> allotments(const OnlineView& view, const Expectation& expected, int processors) {
  std::vector<int> parts(static_cast<std::size_t>(view.processors()), 0);
  std::vector<double> weight(parts.size(), 0);
  for (int p = 0; p < view.processors(); ++p) {
    if (!view.part(p).empty()) {
      weight[p] = expected.before(view.part(p).back() + 1) - expected.before(view.part(p).front());
      parts[p] = 1;
      --processors;
    }
  }
  for (; processors > 0; --processors) {
    std::size_t largest_share = 0;
    for (std::size_t p = 1; p < parts.size(); ++p) {
      if (parts[p] > 0 && weight[p] / parts[p] > weight[largest_share] / parts[largest_share]) {
        largest_share = p;
      }
    }
    ++parts[largest_share];
  }
  return parts;
}

/// A tolerance that takes the nearest cut however far it is.
constexpr double kAnywhere = std::numeric_limits<double>::infinity();

/// The cut nearest to an even share over all parts, if it lies within `tolerance` of a share.
std::optional<Give> cut_near_even_share(const OnlineView& view, const Expectation& expected,
                                        int processors, double tolerance) {
  const std::vector<int> parts = allotments(view, expected, processors);
  constexpr double kRounding = 1e-9;
  double best = tolerance + kRounding;
  std::optional<Give> give;
  for (int p = 0; p < view.processors(); ++p) {
    const LeafSet& part = view.part(p);
    if (part.size() < 2) {
      continue;
    }
    const Index begin = part.front();
    const Index end = part.back() + 1;
    const double share = (expected.before(end) - expected.before(begin)) / parts[p];
    for (int i = 1; i < parts[p]; ++i) {
      const double even = expected.before(begin) + i * share;
      const Index cut = expected.nearest(even, begin, end);
      const double off = std::abs(expected.before(cut) - even) / share;
      if (off < best) {
        best = off;
        const bool front = cut - begin <= end - cut;
        give = Give{.giver = p,
                    .receiver = view.first_empty(),
                    .n = front ? cut - begin : end - cut,
                    .side = front ? Side::front : Side::back};
      }
    }
  }
  return give;
}

}  // namespace

Policy spread_out(Index min_leaves) {
  return [=](const OnlineView& view) {
    return view.leaves() >= min_leaves * view.processors() ? deal_out(view) : std::nullopt;
  };
}

Policy spread_out_once_grid_stagnates(Index min_leaves) {
  return [=](const OnlineView& view) {
    const auto& N = view.leaves_so_far();
    const bool stagnates =
        view.last_stage() || (N.size() >= 2 && N[N.size() - 1] == N[N.size() - 2]);
    return stagnates && view.leaves() >= min_leaves * view.processors() ? deal_out(view)
                                                                        : std::nullopt;
  };
}

Policy spread_out_hierarchically(int cores, Index min_leaves) {
  int nodes_opened_at = -1;
  return [=](const OnlineView& view) mutable -> std::optional<Give> {
    const int nodes = (view.processors() + cores - 1) / cores;
    std::vector<int> empty_nodes;
    for (int node = 1; node < nodes; ++node) {
      if (view.leaves_of(node * cores) == 0) {
        empty_nodes.push_back(node);
      }
    }
    if (!empty_nodes.empty()) {
      const Index share = view.leaves_of(0) / static_cast<Index>(empty_nodes.size() + 1);
      if (view.leaves() < min_leaves * nodes || share < 1) {
        return std::nullopt;
      }
      nodes_opened_at = view.stage();
      return Give{.receiver = empty_nodes.front() * cores, .n = share};
    }
    if (nodes_opened_at == view.stage()) {
      return std::nullopt;
    }
    for (int first = 0; first < view.processors(); first += cores) {
      const int here = std::min(cores, view.processors() - first);
      int empty = -1;
      int shares = 1;
      for (int p = first + 1; p < first + here; ++p) {
        if (view.leaves_of(p) == 0) {
          empty = empty < 0 ? p : empty;
          ++shares;
        }
      }
      const bool begun = shares < here;
      const bool enough = view.leaves_of(first) >= min_leaves * here;
      if (empty >= 0 && (enough || begun) && view.leaves_of(first) >= shares) {
        return Give{.giver = first, .receiver = empty, .n = view.leaves_of(first) / shares};
      }
    }
    return std::nullopt;
  };
}

Policy recursive_bipartition(Index min_leaves) {
  return [=](const OnlineView& view) { return halve_heaviest(view, 2 * min_leaves); };
}

Policy split_oversized_tree(Index max_leaves) {
  return [=](const OnlineView& view) { return halve_heaviest(view, max_leaves + 1); };
}

Policy hardcoded(Plan plan) {
  std::size_t next = 0;
  return [=, plan = std::move(plan)](const OnlineView& view) mutable -> std::optional<Give> {
    if (next == plan.splits.size() || plan.splits[next].stage != view.stage()) {
      return std::nullopt;
    }
    const Split& split = plan.splits[next++];
    const bool at_front = split.leaves.front() == view.part(split.giver).front();
    return Give{.giver = split.giver,
                .receiver = split.receiver,
                .n = split.leaves.size(),
                .side = at_front ? Side::front : Side::back};
  };
}

Policy cascade(std::vector<Policy> policies) {
  std::size_t current = 0;
  int last_split_at = -1;
  return [=, policies = std::move(policies)](const OnlineView& view) mutable {
    std::optional<Give> give;
    while (current < policies.size()) {
      give = policies[current](view);
      if (give) {
        last_split_at = view.stage();
        break;
      }
      if (last_split_at == view.stage() || last_split_at < 0) {
        break;  // it split at this stage, or never began: it does not stagnate
      }
      ++current;
      last_split_at = view.stage();
    }
    return give;
  };
}

Policy wait() {
  return [](const OnlineView& view) { return view.last_stage() ? deal_out(view) : std::nullopt; };
}

Policy reserve(int parts) {
  return lowering_maximum_at_last([=](const OnlineView& view) -> std::optional<Give> {
    if (view.opened() >= parts || view.leaves() < parts) {
      return std::nullopt;
    }
    return Give{.receiver = view.first_empty(),
                .n = view.leaves_of(0) / (parts - view.opened() + 1)};
  });
}

Policy budgeted(double budget, CostModel cost) {
  double left = budget;
  bool dealing = false;
  return [=, cost = std::move(cost)](const OnlineView& view) mutable -> std::optional<Give> {
    if (!dealing) {
      Index open = 0;
      for (Index leaf = 0; leaf < view.leaves(); ++leaf) {
        open += view.open(leaf) ? 1 : 0;
      }
      const Index next_N = view.leaves() + open * (view.children() - 1);
      dealing = view.last_stage() || (view.leaves() >= view.processors() &&
                                      price_of_dealing_out(view, next_N, cost) > left);
    }
    const std::optional<Give> give = dealing ? deal_out(view) : std::nullopt;
    if (!give) {
      return std::nullopt;
    }
    const double price = cost(size_of(view, *give));
    if (price > left) {
      return std::nullopt;
    }
    left -= price;
    return give;
  };
}

Policy ahead(AheadOptions options) {
  ExpectationOfStage expectation;
  return lowering_maximum_at_last([=](const OnlineView& view) mutable -> std::optional<Give> {
    const bool deadline = view.leaves() >= options.min_leaves * view.processors();
    const int active = view.processors() - options.kept_idle;
    const bool enough_early = options.early_parts > 0 && view.opened() >= options.early_parts;
    if (view.opened() >= active || (enough_early && !deadline)) {
      return std::nullopt;
    }
    return cut_near_even_share(view, expectation.of(view), active,
                               deadline ? kAnywhere : options.tolerance);
  });
}

Policy paced(Index leaves_a_part) {
  ExpectationOfStage expectation;
  return lowering_maximum_at_last([=](const OnlineView& view) mutable -> std::optional<Give> {
    if ((view.opened() + 1) * leaves_a_part > view.leaves()) {
      return std::nullopt;
    }
    return cut_near_even_share(view, expectation.of(view), view.processors(), kAnywhere);
  });
}

Policy weighted(Index min_leaves) { return ahead({.tolerance = 0, .min_leaves = min_leaves}); }

}  // namespace cleave::splitting
