// SPDX-License-Identifier: Apache-2.0
// What the player does where ranks meet.
#include <algorithm>

#include <cleave/detail/schedule/messages.hpp>

#include "models/predict/player.hpp"

namespace cleave::models {

/// The larger half of what a group has, relative to the problem.
double Player::fraction_moved(int group) const {
  const auto left = static_cast<std::size_t>(group_at(group).left);
  return std::max(fractions_[left], fractions_[left + 1]);
}

/// Two ranks exchange what is made of `fraction` of the problem (`part` 1), or one sends it without
/// an answer; then comes the skeleton's own work.
void Player::move(int a, int b, int group, double fraction, double part) {
  SizeValues values;
  const std::size_t count = std::min(bytes_->scaling.size(), kMaxSizes);
  for (std::size_t i = 0; i < count; ++i) {
    // Traces give what is moved by the group that moves it: twice a half's share.
    const Scaling& scaling = *bytes_->scaling[i];
    values[i] = parts_.way == Way::splitting
                    ? bytes_->run_sizes[i] / ranks_ / 2
                    : scaling.of_fraction(bytes_->run_sizes[i], 2 * fraction);
    if (parts_.way != Way::splitting && scaling.exponent == 0) {
      values[i] *= scaling.unevenness(group_at(group).level);
    }
  }
  const int level = group_at(group).level;
  const double bytes = seconds_of(*bytes_, {values.data(), count});
  const Communication& used = entry(level, leaves_host(group));
  const double unit = used.unit_seconds(bytes);
  // A factor that was fitted inside a host says nothing of a network that nobody measured.
  const bool is_assumed = leaves_host(group) && !network_.assumed.empty();
  const double factor = is_assumed ? paper_factor(model_.placement) : parts_.exchange->factor;
  double seconds = part * factor * unit;
  if (random_ != nullptr) {
    seconds = parts_.exchange->noise.draw(seconds, slowness(a), *random_);
  }
  double& clock_a = clocks_[static_cast<std::size_t>(a)];
  double& clock_b = clocks_[static_cast<std::size_t>(b)];
  const int later = clock_a >= clock_b ? a : b;
  clock_a = clock_b = std::max(clock_a, clock_b);
  if (!spent_.empty()) {
    const Spent of_later = spent_[static_cast<std::size_t>(later)];
    spent_[static_cast<std::size_t>(a)] = spent_[static_cast<std::size_t>(b)] = of_later;
  }
  const auto skeleton = blocks_.find(Block::skeleton);
  for (const int rank : {a, b}) {
    spend(rank, {Block::exchange, level}, seconds);
    if (parts_.way != Way::splitting) {
      spend(rank, {Block::wait, level}, header_seconds(used, bytes));
    }
    if (skeleton != blocks_.end()) {
      const double own = seconds_of(skeleton->second, {&bytes, 1});
      work(Block::skeleton, group, rank, 1, own, &skeleton->second.model->noise);
    }
  }
}

/// All these ranks go on together, `seconds` after the last of them is there.
void Player::meet(int first, int count, Place place, double seconds) {
  const auto begin = clocks_.begin() + first;
  const auto last = std::max_element(begin, begin + count);
  const double latest = *last;
  const auto of_last = static_cast<std::size_t>(last - clocks_.begin());
  std::fill(begin, begin + count, latest);
  for (int rank = first; rank < first + count; ++rank) {
    if (!spent_.empty() && static_cast<std::size_t>(rank) != of_last) {
      spent_[static_cast<std::size_t>(rank)] = spent_[of_last];
    }
  }
  for (int rank = first; rank < first + count; ++rank) {
    spend(rank, place, seconds);
  }
}

double Player::choose_splitter(int group) {
  const Bound& pivot = bound(Block::pivot);
  SizeValues values;
  const std::span<const double> sizes = sizes_of(pivot, Block::pivot, group, values);
  const double splitter_bytes = parts_.exchange->splitter_bytes;
  const double own = seconds_of(pivot, sizes);
  const double messages =
      choose_seconds(entry(group_at(group).level, leaves_host(group)), group_at(group).ranks.size,
                     sizes.back() * splitter_bytes, splitter_bytes);
  const int first = group_at(group).ranks.first;
  return messages +
         (random_ == nullptr ? own : pivot.model->noise.draw(own, slowness(first), *random_));
}

void Player::exchange_parts(int group) {
  const detail::Group& ranks = group_at(group).ranks;
  for (int rank = ranks.first; rank < ranks.first + ranks.left().size; ++rank) {
    move(rank, *detail::partner_of(rank, ranks), group, 0, 1);
  }
}

}  // namespace cleave::models
