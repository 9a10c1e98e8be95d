// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/growth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/error.hpp>

namespace cleave::splitting {

Growth::Growth(const Tree& tree) : tree_(&tree), level_{0}, node_{0}, first_final_{0}, open_{1} {}

Index Growth::first_final(Index leaf) const {
  return leaf == leaves() ? tree_->leaves() : first_final_[leaf];
}

Index Growth::leaf_at(Index position) const {
  if (position == tree_->leaves()) {
    return leaves();
  }
  return std::upper_bound(first_final_.begin(), first_final_.end(), position) -
         first_final_.begin() - 1;
}

void Growth::advance() { advance(LeafSet(LeafRun{0, leaves()})); }

void Growth::advance(const LeafSet& allowed) {
  if (!allowed.empty() && allowed.back() >= leaves()) {
    throw Error(
        fmt::format("leaf {} may refine, but there are {} leaves", allowed.back(), leaves()));
  }
  Growth next(*tree_);
  next.stage_ = stage_ + 1;
  next.level_.clear();
  next.node_.clear();
  next.first_final_.clear();
  next.open_.clear();
  const auto add = [&](int level, Index node, std::uint8_t open) {
    next.level_.push_back(static_cast<std::uint16_t>(level));
    next.node_.push_back(static_cast<std::int32_t>(node));
    next.first_final_.push_back(static_cast<std::int32_t>(tree_->first_leaf(level, node)));
    next.open_.push_back(open);
  };
  auto run = allowed.runs().begin();
  for (Index leaf = 0; leaf < leaves(); ++leaf) {
    while (run != allowed.runs().end() && run->end <= leaf) {
      ++run;
    }
    const bool asked = run != allowed.runs().end() && run->begin <= leaf && open(leaf);
    const int level = level_[leaf];
    if (asked && tree_->refined(level, node_[leaf])) {
      const Index child = tree_->first_child(level, node_[leaf]);
      for (Index i = 0; i < tree_->children(); ++i) {
        add(level + 1, child + i, 1);
      }
    } else {
      add(level, node_[leaf], open(leaf) && !asked ? 1 : 0);
    }
  }
  *this = std::move(next);
}

}  // namespace cleave::splitting
