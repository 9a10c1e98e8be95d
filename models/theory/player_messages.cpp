// SPDX-License-Identifier: Apache-2.0
// What the player does where ranks meet.
#include <algorithm>

#include <cleave/schedule/messages.hpp>

#include "models/theory/player.hpp"

namespace cleave::models {

/// The larger half of what a group has, relative to the problem.
double Player::fraction_moved(int group) const {
  const auto left = static_cast<std::size_t>(group_at(group).left);
  return std::max(fractions_[left], fractions_[left + 1]);
}

/// What is made of `fraction` of the problem is exchanged (`part` 1), or sent without an answer.
const Player::Moved& Player::moved(int group, double fraction, double part) {
  if (moved_.group == group && moved_.fraction == fraction && moved_.part == part) {
    return moved_;
  }
  SizeValues values;
  const int level = group_at(group).level;
  const std::size_t count = std::min(bytes_->scaling.size(), kMaxSizes);
  for (std::size_t i = 0; i < count; ++i) {
    // Traces give what is moved by the group that moves it: twice a half's share.
    const Scaling& scaling = *bytes_->scaling[i];
    values[i] = parts_.way == Way::splitting
                    ? bytes_->run_sizes[i] / ranks_ / 2
                    : scaling.of_fraction(bytes_->run_sizes[i], 2 * fraction);
    if (parts_.way != Way::splitting && scaling.exponent == 0) {
      values[i] *= scaling.unevenness(level);
    }
  }
  const double bytes = median_of(*bytes_, {values.data(), count});
  const detail::Communication& used = entry(level, leaves_host(group));
  // A factor that was fitted inside a host says nothing of a network that nobody measured.
  const bool is_assumed = leaves_host(group) && !network_.assumed.empty();
  const double factor = is_assumed ? paper_factor(model_.placement) : parts_.exchange->factor;
  moved_ = {.group = group, .fraction = fraction, .part = part};
  moved_.exchange_s = part * factor * used.unit_seconds(bytes);
  if (parts_.way != Way::splitting) {
    moved_.header_s = header_seconds(used, bytes);
  }
  if (const auto skeleton = blocks_.find(detail::Block::skeleton); skeleton != blocks_.end()) {
    remember_width({detail::Block::skeleton, level}, skeleton->second, {&bytes, 1});
    moved_.skeleton_s = median_of(skeleton->second, {&bytes, 1});
  }
  return moved_;
}

/// Two ranks meet and exchange; then comes the skeleton's own work.
void Player::move(int a, int b, int group, double fraction, double part) {
  const Moved& what = moved(group, fraction, part);
  if (clocks_[static_cast<std::size_t>(a)] >= clocks_[static_cast<std::size_t>(b)]) {
    follow(b, a);
  } else {
    follow(a, b);
  }
  const int level = group_at(group).level;
  const bool has_skeleton = blocks_.contains(detail::Block::skeleton);
  for (const int rank : {a, b}) {
    spend(rank, {detail::Block::exchange, level}, what.exchange_s);
    if (parts_.way != Way::splitting) {
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
  remember_width({detail::Block::pivot, group_at(group).level}, pivot, sizes);
  const double messages =
      choose_seconds(entry(group_at(group).level, leaves_host(group)), group_at(group).ranks.size,
                     sizes.back() * splitter_bytes, splitter_bytes);
  return messages + median_of(pivot, sizes);
}

void Player::exchange_parts(int group) {
  const detail::Group& ranks = group_at(group).ranks;
  for (int rank = ranks.first; rank < ranks.first + ranks.left().size; ++rank) {
    move(rank, *detail::partner_of(rank, ranks), group, 0, 1);
  }
}

}  // namespace cleave::models
