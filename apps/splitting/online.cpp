// SPDX-License-Identifier: Apache-2.0
// The online policies, what they expect, and running one.
#include "apps/splitting/online.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <cleave/error.hpp>

namespace cleave::splitting {

namespace {

/// Expected final leaves of every current leaf, summed along the curve, from what may be known
/// online: all nodes refine up to l_min, and from there on as large a share of each level as did
/// last.
class Expectation {
 public:
  /// Works out what `view` expects, once a stage. O(N).
  void look(const OnlineView& view);

  /// The sum over the leaves before `leaf`.
  double before(Index leaf) const { return before_[static_cast<std::size_t>(leaf)]; }
  /// The leaf within (begin, end) whose beginning is nearest to `weight`. O(log N).
  Index nearest(double weight, Index begin, Index end) const;

 private:
  int stage_ = -1;
  std::vector<double> before_;
};

void Expectation::look(const OnlineView& view) {
  if (stage_ == view.stage) {
    return;
  }
  stage_ = view.stage;
  // The share of the nodes of one level that refined is read off how N grew.
  const auto& N = view.leaves_so_far;
  const std::size_t s = N.size() - 1;
  double refining = 1;
  if (view.stage > view.l_min && s >= 2 && N[s - 1] > N[s - 2]) {
    refining = static_cast<double>(N[s] - N[s - 1]) /
               static_cast<double>(view.children * (N[s - 1] - N[s - 2]));
  }
  double of_open = 1;  // expected below an open leaf, all of which are of this stage's level
  for (int level = view.l_max - 1; level >= view.stage; --level) {
    const double q = level < view.l_min ? 1 : refining;
    constexpr double kMost = 1e12;  // deep trees would overflow; shares need orders of magnitude
    of_open = std::min(1 - q + q * view.children * of_open, kMost);
  }
  before_ = {0};
  before_.reserve(view.levels.size() + 1);
  for (Index leaf = 0; leaf < view.leaves(); ++leaf) {
    before_.push_back(before_.back() + (view.open(leaf) ? of_open : 1));
  }
}

Index Expectation::nearest(double weight, Index begin, Index end) const {
  const auto first = before_.begin() + begin + 1;
  const auto last = before_.begin() + end;
  auto at = std::lower_bound(first, last, weight);
  if (at == last || (at != first && weight - *(at - 1) <= *at - weight)) {
    --at;
  }
  return at - before_.begin();
}

/// The next split of dealing all leaves of processor 0 out to every empty one, in equal shares.
std::optional<Give> deal_out(const OnlineView& view) {
  if (view.leaves_of(0) < 2) {
    return std::nullopt;
  }
  const Index share = view.leaves_of(0) / (view.empty_processors() + 1);
  return Give{.receiver = view.first_empty(), .n = std::max<Index>(share, 1)};
}

/// The next split of dealing the leaves of `giver` out to every `step`-th processor after it, up to
/// `end`, once it has one for each.
std::optional<Give> deal_out_among(const OnlineView& view, int giver, int step, int end) {
  int receiver = -1;
  int all = 1;
  int shares = 1;
  for (int p = giver + step; p < end; p += step, ++all) {
    if (view.leaves_of(p) == 0) {
      receiver = receiver < 0 ? p : receiver;
      ++shares;
    }
  }
  const bool begun = shares < all;
  if (receiver < 0 || view.leaves_of(giver) < (begun ? shares : all)) {
    return std::nullopt;
  }
  return Give{.giver = giver, .receiver = receiver, .n = view.leaves_of(giver) / shares};
}

std::optional<Give> halve_heaviest(const OnlineView& view, Index min_leaves) {
  const int giver = view.heaviest();
  const Index leaves = view.leaves_of(giver);
  if (leaves < std::max<Index>(min_leaves, 2)) {
    return std::nullopt;
  }
  return Give{.giver = giver, .receiver = view.first_empty(), .n = leaves / 2};
}

/// Splits that all parts need to hold at most `maximum` leaves each.
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
    const bool enough = splits_needed(view, middle) <= view.empty_processors();
    enough ? high = middle : low = middle + 1;
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

/// How many of the processors each part should become, in proportion to its weight; at least 1.
std::vector<int> allotments(const OnlineView& view, const Expectation& expected) {
  std::vector<int> parts(static_cast<std::size_t>(view.processors()), 0);
  std::vector<double> weight(parts.size(), 0);
  for (int p = 0; p < view.processors(); ++p) {
    if (!view.parts[p].empty()) {
      weight[p] =
          expected.before(view.parts[p].back() + 1) - expected.before(view.parts[p].front());
      parts[p] = 1;
    }
  }
  for (int spare = view.empty_processors(); spare > 0; --spare) {
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
                                        double tolerance) {
  const std::vector<int> parts = allotments(view, expected);
  constexpr double kRounding = 1e-9;
  double best = tolerance + kRounding;
  std::optional<Give> give;
  for (int p = 0; p < view.processors(); ++p) {
    const LeafSet& part = view.parts[p];
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

int OnlineView::first_empty() const {
  const auto empty = std::ranges::find_if(parts, &LeafSet::empty);
  return empty == parts.end() ? -1 : static_cast<int>(empty - parts.begin());
}

int OnlineView::empty_processors() const {
  return static_cast<int>(std::ranges::count_if(parts, &LeafSet::empty));
}

int OnlineView::heaviest() const {
  return static_cast<int>(std::ranges::max_element(parts, {}, &LeafSet::size) - parts.begin());
}

Ledger simulate(const Tree& tree, int processors, const CostModel& cost, const Policy& policy) {
  Ledger ledger(tree, processors, Mode::sfc, cost);
  OnlineView view{.l_min = tree.l_min(), .l_max = tree.l_max(), .children = tree.children()};
  while (true) {
    view.stage = ledger.growth().stage();
    view.levels = ledger.growth().levels();
    view.leaves_so_far.push_back(view.leaves());
    view.parts.clear();
    for (int p = 0; p < processors; ++p) {
      view.parts.push_back(ledger.part(p));
    }
    while (view.first_empty() >= 0) {
      const std::optional<Give> give = policy(view);
      if (!give) {
        break;
      }
      ledger.split(give->giver, give->receiver, give->n, give->side);
      view.parts[give->receiver] = view.parts[give->giver].take(give->n, give->side);
    }
    if (view.last_stage()) {
      return ledger;
    }
    ledger.advance();
  }
}

Policy spread_out(Index min_leaves) {
  return [=](const OnlineView& view) {
    return view.leaves() >= min_leaves * view.processors() ? deal_out(view) : std::nullopt;
  };
}

Policy spread_out_once_grid_stagnates(Index min_leaves) {
  return [=](const OnlineView& view) {
    return view.last_stage() && view.leaves() >= min_leaves * view.processors() ? deal_out(view)
                                                                                : std::nullopt;
  };
}

Policy spread_out_hierarchically(int cores) {
  int nodes_opened_at = -1;
  return [=](const OnlineView& view) mutable -> std::optional<Give> {
    for (int first = 0; first < view.processors(); first += cores) {
      if (view.leaves_of(first) == 0) {
        nodes_opened_at = view.stage;
        return deal_out_among(view, 0, cores, view.processors());
      }
    }
    std::optional<Give> give;
    if (nodes_opened_at != view.stage) {
      for (int first = 0; first < view.processors() && !give; first += cores) {
        give = deal_out_among(view, first, 1, std::min(first + cores, view.processors()));
      }
    }
    return give;
  };
}

Policy recursive_bipartition(Index min_leaves) {
  return [=](const OnlineView& view) { return halve_heaviest(view, 2 * min_leaves); };
}

Policy split_oversized_tree(Index max_leaves) {
  return [=](const OnlineView& view) { return halve_heaviest(view, max_leaves + 1); };
}

Policy wait() { return spread_out_once_grid_stagnates(0); }

Policy reserve(int parts) {
  return lowering_maximum_at_last([=](const OnlineView& view) -> std::optional<Give> {
    if (view.opened() >= parts || view.leaves() < parts) {
      return std::nullopt;
    }
    return Give{.receiver = view.first_empty(),
                .n = view.leaves_of(0) / (parts - view.opened() + 1)};
  });
}

Policy ahead(AheadOptions options) {
  Expectation expected;
  return lowering_maximum_at_last([=](const OnlineView& view) mutable -> std::optional<Give> {
    const bool deadline = view.leaves() >= options.min_leaves * view.processors();
    const bool enough_early = options.early_parts > 0 && view.opened() >= options.early_parts;
    if (enough_early && !deadline) {
      return std::nullopt;
    }
    expected.look(view);
    return cut_near_even_share(view, expected, deadline ? kAnywhere : options.tolerance);
  });
}

Policy paced(Index leaves_a_part) {
  Expectation expected;
  return lowering_maximum_at_last([=](const OnlineView& view) mutable -> std::optional<Give> {
    if ((view.opened() + 1) * leaves_a_part > view.leaves()) {
      return std::nullopt;
    }
    expected.look(view);
    return cut_near_even_share(view, expected, kAnywhere);
  });
}

std::vector<NamedPolicy> policies_for(int processors, int children) {
  constexpr int kLeavesOfPart = 4;
  return {{"spread_out", 1, spread_out},
          {"spread_out_once_grid_stagnates", 1, spread_out_once_grid_stagnates},
          {"spread_out_hierarchically", processors % 4 == 0 ? 4 : 2, spread_out_hierarchically},
          {"recursive_bipartition", 1, recursive_bipartition},
          {"split_oversized_tree", 2 * children, split_oversized_tree},
          {"wait", std::nullopt, [](int) { return wait(); }},
          {"reserve", std::max(1, processors / 4), reserve},
          {"ahead", std::nullopt, [](int) { return ahead({.tolerance = 0.05}); }},
          {"paced", kLeavesOfPart, paced}};
}

Policy policy_named(const std::string& name, int processors, int children) {
  const std::size_t colon = name.find(':');
  std::vector<std::string> allowed;
  for (const NamedPolicy& policy : policies_for(processors, children)) {
    allowed.push_back(policy.name + (policy.count ? "[:NUMBER]" : ""));
    if (policy.name != name.substr(0, colon)) {
      continue;
    }
    if (colon == std::string::npos) {
      return policy.make();
    }
    if (policy.count) {
      int count = 0;
      const char* end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, count);
      if (error != std::errc() || stop != end || count < 1) {
        throw UsageError(fmt::format("--policy {}: '{}' must be a whole number from 1 on", name,
                                     name.substr(colon + 1)));
      }
      return policy.make_with(count);
    }
  }
  throw UsageError(fmt::format("--policy is '{}', allowed are {}", name, fmt::join(allowed, ", ")));
}

}  // namespace cleave::splitting
