// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/online/online_view.hpp"

#include <algorithm>

namespace cleave::splitting {

OnlineView::OnlineView(const Ledger& ledger, std::vector<Index> leaves_so_far, Indicator indicator)
    : stage_(ledger.growth().stage()),
      l_min_(ledger.growth().tree().l_min()),
      l_max_(ledger.growth().tree().l_max()),
      children_(ledger.growth().tree().children()),
      last_stage_(stage_ >= l_max_),
      levels_(ledger.growth().levels()),
      open_(ledger.growth().open_leaves()),
      leaves_so_far_(std::move(leaves_so_far)),
      indicator_(std::move(indicator)) {
  for (std::size_t leaf = 0; leaf < levels_.size(); ++leaf) {
    open_[leaf] = open_[leaf] != 0 && levels_[leaf] < l_max_ ? 1 : 0;
  }
  for (int p = 0; p < ledger.processors(); ++p) {
    parts_.push_back(ledger.part(p));
  }
}

int OnlineView::first_empty() const {
  const auto empty =
      std::find_if(parts_.begin(), parts_.end(), [](const LeafSet& part) { return part.empty(); });
  return empty == parts_.end() ? -1 : static_cast<int>(empty - parts_.begin());
}

int OnlineView::empty_processors() const {
  return static_cast<int>(std::count_if(parts_.begin(), parts_.end(),
                                        [](const LeafSet& part) { return part.empty(); }));
}

int OnlineView::heaviest() const {
  const auto heaviest =
      std::max_element(parts_.begin(), parts_.end(),
                       [](const LeafSet& a, const LeafSet& b) { return a.size() < b.size(); });
  return static_cast<int>(heaviest - parts_.begin());
}

OnlineView OnlineView::refined() const {
  OnlineView next = *this;
  ++next.stage_;
  next.last_stage_ = next.stage_ >= l_max_;
  next.indicator_.clear();
  next.levels_.clear();
  next.open_.clear();
  for (std::size_t leaf = 0; leaf < levels_.size(); ++leaf) {
    const int grown = open_[leaf] != 0 ? 1 : 0;
    const int level = levels_[leaf] + grown;
    const auto children = static_cast<std::size_t>(grown != 0 ? children_ : 1);
    next.levels_.insert(next.levels_.end(), children, static_cast<std::uint16_t>(level));
    next.open_.insert(next.open_.end(), children,
                      static_cast<std::uint8_t>(grown != 0 && level < l_max_ ? 1 : 0));
  }
  next.leaves_so_far_.push_back(next.leaves());
  next.inherit_parts(*this);
  return next;
}

void OnlineView::inherit_parts(const OnlineView& earlier) {
  // Where each leaf of `earlier` begins: it covers K^-level of the whole, as do its descendants
  // together.
  std::vector<Index> begins;
  begins.reserve(earlier.levels_.size() + 1);
  std::size_t leaf = 0;
  for (const std::uint16_t level : earlier.levels_) {
    begins.push_back(static_cast<Index>(leaf));
    // Descendants in curve order: each closes a node whose level is counted down by K siblings.
    std::vector<int> missing = {1};
    while (!missing.empty()) {
      const int depth = levels_[leaf++] - level;
      while (static_cast<int>(missing.size()) <= depth) {
        missing.push_back(children_);
      }
      while (!missing.empty() && --missing.back() == 0) {
        missing.pop_back();
      }
    }
  }
  begins.push_back(static_cast<Index>(leaf));
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::vector<LeafRun> runs;
    for (const LeafRun& run : earlier.parts_[p].runs()) {
      runs.push_back(
          {begins[static_cast<std::size_t>(run.begin)], begins[static_cast<std::size_t>(run.end)]});
    }
    parts_[p] = LeafSet(std::move(runs));
  }
}

void OnlineView::give(int giver, int receiver, Index n, Side side) {
  parts_[receiver] = divide(parts_[giver], n, side);
}

}  // namespace cleave::splitting
