// SPDX-License-Identifier: Apache-2.0
// What the player does where ranks meet.
#include <algorithm>

#include <cleave/schedule/messages.hpp>

#include "models/theory/player.hpp"

namespace cleave::models {

/// How much of the problem, or of what is made of it, the step moves: a half of the group, of both
/// the larger.
double Player::fraction_moved(const detail::Step& step) const {
  using Flow = detail::Step::Flow;
  const auto left = static_cast<std::size_t>(group_at(step.group).left);
  const bool is_of_right = (step.flow == Flow::to_right) == step.is_of_getter;
  return step.flow == Flow::both || step.ranks == detail::Step::Ranks::last
             ? std::max(fractions_[left], fractions_[left + 1])
             : fractions_[is_of_right ? left + 1 : left];
}

Player::Moved Player::moved(const detail::Step& step) {
  SizeValues values;
  const int level = group_at(step.group).level;
  const bool is_part = step.what == detail::Step::What::part;
  const double fraction = fraction_moved(step);
  const std::size_t count = std::min(bytes_->scaling.size(), kMaxSizes);
  for (std::size_t i = 0; i < count; ++i) {
    // Traces give what is moved by the group that moves it: twice a half's share.
    const Scaling& scaling = *bytes_->scaling[i];
    values[i] = is_part ? bytes_->run_sizes[i] / ranks_ / 2
                        : scaling.of_fraction(bytes_->run_sizes[i], 2 * fraction);
    if (!is_part && scaling.exponent == 0) {
      values[i] *= scaling.unevenness(level);
    }
  }
  const double bytes = median_of(*bytes_, {values.data(), count});
  const detail::Communication& used = entry(level, leaves_host(step.group));
  // A factor that was fitted inside a host says nothing of a network that nobody measured.
  const bool is_assumed = leaves_host(step.group) && !network_.assumed.empty();
  double factor = is_assumed ? paper_factor_ : parts_.exchange->factor;
  if (step.flow != detail::Step::Flow::both) {
    factor /= paper_factor_;
  }
  Moved what;
  what.exchange_s = factor * used.unit_seconds(bytes);
  if (step.has_header) {
    what.header_s = header_seconds(used, bytes);
  }
  if (const auto skeleton = blocks_.find(detail::Block::skeleton); skeleton != blocks_.end()) {
    remember_width({detail::Block::skeleton, level}, skeleton->second, {&bytes, 1},
                   group_at(step.group).ranks.first);
    what.skeleton_s = median_of(skeleton->second, {&bytes, 1});
  }
  return what;
}

/// The pairs of ranks that a step moves something between, one after another.
void Player::move(const detail::Step& step) {
  const auto [left, right, count] = detail::pairs_of(step.ranks, group_at(step.group).ranks);
  const Moved what = moved(step);
  for (int i = 0; i < count; ++i) {
    meet(left + i, right + i, step.group, what);
  }
}

/// Two ranks meet and exchange; then comes the skeleton's own work.
void Player::meet(int a, int b, int group, const Moved& what) {
  if (clocks_[static_cast<std::size_t>(a)] >= clocks_[static_cast<std::size_t>(b)]) {
    follow(b, a);
  } else {
    follow(a, b);
  }
  const int level = group_at(group).level;
  const bool has_skeleton = blocks_.contains(detail::Block::skeleton);
  for (const int rank : {a, b}) {
    spend(rank, {detail::Block::exchange, level}, what.exchange_s);
    if (what.header_s > 0) {
      spend(rank, {detail::Block::wait, level}, what.header_s);
    }
    if (has_skeleton) {
      work(detail::Block::skeleton, group, rank, 1, what.skeleton_s);
    }
  }
}

/// All these ranks go on together, `seconds` after the last of them is there.
void Player::meet(int first, int count, Place place, double seconds) {
  const auto begin = clocks_.begin() + first;
  const auto last = static_cast<int>(std::max_element(begin, begin + count) - clocks_.begin());
  for (int rank = first; rank < first + count; ++rank) {
    follow(rank, last);
    if (rank != last) {
      spend(rank, place, seconds);
    }
  }
  spend(last, place, seconds);
}

double Player::choose_splitter(int group) {
  const Bound& pivot = bound(detail::Block::pivot);
  SizeValues values;
  const std::span<const double> sizes = sizes_of(pivot, detail::Block::pivot, group, values);
  const double splitter_bytes = parts_.exchange->splitter_bytes;
  const Place place{detail::Block::pivot, group_at(group).level};
  const int first = group_at(group).ranks.first;
  remember_width(place, pivot, sizes, first);
  const double messages =
      choose_seconds(entry(group_at(group).level, leaves_host(group)), group_at(group).ranks.size,
                     sizes.back() * splitter_bytes, splitter_bytes);
  return messages + rehearsed_s(place, first).value_or(median_of(pivot, sizes));
}

}  // namespace cleave::models
