// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/splitting/outbid.hpp"

#include <algorithm>
#include <ranges>

#include "apps/splitting/online/expectation.hpp"

namespace cleave::splitting {

namespace {

constexpr double kCostRounding = 1e-9;

/// Another policy run beside the real one on the same tree, with parts of its own.
class Shadow {
 public:
  Shadow(Policy policy, CostModel cost) : policy_(std::move(policy)), cost_(std::move(cost)) {}

  /// Lets the other policy split at the stage of `view`; up to l_min the tree is known, so that all
  /// stages up to there are played at the first call.
  void follow(const OnlineView& view) {
    if (!played_) {
      played_.emplace(view);
      split();
      while (played_->stage() < view.l_min()) {
        played_ = played_->refined();
        split();
      }
    }
    if (played_->stage() < view.stage()) {
      OnlineView now = view;
      now.inherit_parts(*played_);
      played_ = std::move(now);
      split();
    }
  }

  int parts() const { return played_->opened(); }
  /// What it has paid, up to l_min from the beginning on.
  double spent() const { return spent_; }

  /// Where its parts begin that exist at the stage of `view`, the curve's beginning left out:
  /// positions among that stage's leaves.
  std::vector<Index> cuts(const OnlineView& view) const {
    Index cell = 1;
    for (int stage = view.stage(); stage < played_->stage(); ++stage) {
      cell *= view.children();
    }
    std::vector<Index> cuts;
    for (int p = 0; p < played_->processors(); ++p) {
      if (!played_->part(p).empty() && played_->part(p).front() > 0 &&
          played_->part(p).front() % cell == 0) {
        cuts.push_back(played_->part(p).front() / cell);
      }
    }
    return cuts;
  }

 private:
  void split() {
    split_at_stage(*played_, policy_,
                   [&](const Give& give) { spent_ += cost_(size_of(*played_, give)); });
  }

  Policy policy_;
  CostModel cost_;
  std::optional<OnlineView> played_;
  double spent_ = 0;
};

/// The smaller side of cutting `part` at `cut`.
Give give_at(const OnlineView& view, int giver, Index cut) {
  const Index before = cut - view.part(giver).front();
  const Index after = view.leaves_of(giver) - before;
  return {.giver = giver,
          .receiver = view.first_empty(),
          .n = std::min(before, after),
          .side = before < after ? Side::front : Side::back};
}

/// A split at one of `cuts` that no part begins at yet.
std::optional<Give> give_at_any(const OnlineView& view, const std::vector<Index>& cuts) {
  for (const Index cut : cuts) {
    for (int p = 0; p < view.processors(); ++p) {
      const LeafSet& part = view.part(p);
      if (!part.empty() && part.front() < cut && cut <= part.back()) {
        return give_at(view, p, cut);
      }
    }
  }
  return std::nullopt;
}

/// The last position up to `end` with at most `weight` from `begin` on. O(log N).
Index reach(const Expectation& expected, double weight, Index begin, Index end) {
  const auto positions = std::views::iota(begin, end + 1);
  const auto after = std::ranges::upper_bound(positions, expected.before(begin) + weight, {},
                                              [&](Index leaf) { return expected.before(leaf); });
  return *(after - 1);
}

/// Fewest segments of at most `most` expected leaves that [begin, end) falls into; a leaf that
/// expects more is a segment of its own.
int segments(const Expectation& expected, double maximum, Index begin, Index end) {
  int count = 0;
  while (begin < end) {
    begin = std::max(reach(expected, maximum, begin, end), begin + 1);
    ++count;
  }
  return count;
}

/// The least maximum of expected leaves that splitting into `parts` parts reaches.
double min_maximum(const OnlineView& view, const Expectation& expected, int parts) {
  double low = expected.before(view.leaves()) / parts;
  double high = expected.before(view.leaves());
  while (high - low > kCostRounding * high) {
    const double middle = (low + high) / 2;
    int needed = 0;
    for (int p = 0; p < view.processors(); ++p) {
      if (!view.part(p).empty()) {
        needed += segments(expected, middle, view.part(p).front(), view.part(p).back() + 1);
      }
    }
    (needed <= parts ? high : low) = middle;
  }
  return high;
}

/// A split of the first part that expects more than the least maximum which `parts` parts reach;
/// none if all are there.
std::optional<Give> lower_expected_maximum(const OnlineView& view, const Expectation& expected,
                                           int parts) {
  const double maximum = min_maximum(view, expected, parts) * (1 + kCostRounding);
  for (int p = 0; p < view.processors(); ++p) {
    const LeafSet& part = view.part(p);
    if (part.empty()) {
      continue;
    }
    const Index begin = part.front();
    const Index end = part.back() + 1;
    const int needed = segments(expected, maximum, begin, end);
    if (needed < 2) {
      continue;
    }
    // An even share if the rest still fits, else as much as fits.
    Index cut = expected.nearest(
        expected.before(begin) + (expected.before(end) - expected.before(begin)) / needed, begin,
        end);
    if (segments(expected, maximum, begin, cut) > 1 ||
        segments(expected, maximum, cut, end) > needed - 1) {
      cut = std::max(reach(expected, maximum, begin, end), begin + 1);
    }
    return give_at(view, p, cut);
  }
  return std::nullopt;
}

class Outbid {
 public:
  Outbid(Policy other, const CostModel& cost) : shadow_(std::move(other), cost), cost_(cost) {}

  std::optional<Give> operator()(const OnlineView& view) {
    shadow_.follow(view);
    if (shadow_.parts() == 1) {
      return halve(view);
    }
    const std::optional<Give> give = view.stage() <= view.l_min()
                                         ? give_at_any(view, shadow_.cuts(view))
                                         : lower_expected_maximum(view);
    if (!give || !undercuts(cost_(size_of(view, *give)))) {
      return std::nullopt;
    }
    return paid(view, *give);
  }

 private:
  /// While the tree is known, which makes halves as even as the first level allows.
  std::optional<Give> halve(const OnlineView& view) {
    if (view.opened() > 1 || view.leaves() < 2 || view.stage() > view.l_min() ||
        view.last_stage()) {
      return std::nullopt;
    }
    return paid(view, give_at(view, 0, view.leaves() / 2));
  }

  std::optional<Give> lower_expected_maximum(const OnlineView& view) {
    const double price = cost_({.n = 0, .N = view.leaves(), .giver_leaves = view.leaves()});
    int parts = view.opened();
    while (parts < shadow_.parts() && undercuts((parts - view.opened() + 1) * price)) {
      ++parts;
    }
    return parts == view.opened()
               ? std::nullopt
               : splitting::lower_expected_maximum(view, expectation_.of(view), parts);
  }

  bool undercuts(double price) const { return spent_ + price < shadow_.spent() - kCostRounding; }

  Give paid(const OnlineView& view, const Give& give) {
    spent_ += cost_(size_of(view, give));
    return give;
  }

  Shadow shadow_;
  CostModel cost_;
  ExpectationOfStage expectation_;
  double spent_ = 0;
};

}  // namespace

Policy outbid(Policy other, const CostModel& cost) { return Outbid(std::move(other), cost); }

}  // namespace cleave::splitting
