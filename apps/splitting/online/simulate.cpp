// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/online/simulate.hpp"

namespace cleave::splitting {

namespace {

void split_at_stage(Ledger& ledger, OnlineView& view, const Policy& policy) {
  splitting::split_at_stage(view, policy, [&](const Give& give) {
    ledger.split(give.giver, give.receiver, give.n, give.side);
  });
}

LeafSet open_leaves(const OnlineView& view, const LeafSet& among) {
  std::vector<Index> open;
  for (const LeafRun& run : among.runs()) {
    for (Index leaf = run.begin; leaf < run.end; ++leaf) {
      if (view.open(leaf)) {
        open.push_back(leaf);
      }
    }
  }
  return LeafSet::of_positions(open);
}

}  // namespace

Ledger simulate(const Tree& tree, int processors, const CostModel& cost, const Policy& policy,
                const Indicate& indicate) {
  Ledger ledger(tree, processors, Mode::sfc, cost);
  std::vector<Index> leaves_so_far = {1};
  while (true) {
    OnlineView view(ledger, leaves_so_far, indicate ? indicate(ledger.growth()) : Indicator{});
    split_at_stage(ledger, view, policy);
    if (ledger.growth().stage() == tree.l_max()) {
      return ledger;
    }
    ledger.advance();
    leaves_so_far.push_back(ledger.growth().leaves());
  }
}

Ledger simulate_guided(const Tree& tree, int processors, const CostModel& cost,
                       const GuidedPolicy& policy) {
  Ledger ledger(tree, processors, Mode::sfc, cost);
  std::vector<Index> leaves_so_far = {1};
  while (true) {
    OnlineView view(ledger, leaves_so_far, {});
    const LeafSet open = open_leaves(view, LeafSet(LeafRun{0, view.leaves()}));
    view.end_growth(open.empty());
    split_at_stage(ledger, view, policy.split);
    if (open.empty()) {
      return ledger;
    }
    const LeafSet allowed = open_leaves(view, policy.allow(view));
    ledger.advance(allowed.empty() ? open : allowed);
    leaves_so_far.push_back(ledger.growth().leaves());
  }
}

LeafSet allow_lightest_part(const OnlineView& view) {
  LeafSet lightest;
  Index fewest = 0;
  for (int p = 0; p < view.processors(); ++p) {
    const LeafSet open = open_leaves(view, view.part(p));
    if (!open.empty() && (lightest.empty() || view.leaves_of(p) < fewest)) {
      fewest = view.leaves_of(p);
      lightest = open;
    }
  }
  return lightest;
}

}  // namespace cleave::splitting
