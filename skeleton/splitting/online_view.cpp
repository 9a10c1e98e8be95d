#include "skeleton/splitting/online_view.hpp"

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

void OnlineView::give(int giver, int receiver, Index n, Side side) {
  parts_[receiver] = parts_[giver].take(n, side);
}

}  // namespace cleave::splitting
