// SPDX-License-Identifier: Apache-2.0
// What the player does where ranks meet.
#include <algorithm>

#include <cleave/schedule/messages.hpp>

#include "models/theory/player.hpp"

namespace cleave::models {

/// How much of the problem, or of what is made of it, the step moves: a half of the group, of both
/// the larger.
double Player::fraction_moved(const detail::Step& step, const Ranks& group) {
  using Flow = detail::Step::Flow;
  const bool is_of_right = (step.flow == Flow::to_right) == step.is_of_getter;
  return step.flow == Flow::both || step.ranks == detail::Step::Ranks::last
             ? std::max(group.left, group.right)
         : is_of_right ? group.right
                       : group.left;
}

Player::Moved Player::moved(const detail::Step& step, const Ranks& group) {
  SizeValues values;
  const int level = group.level;
  const bool is_part = step.what == detail::Step::What::part;
  const double fraction = fraction_moved(step, group);
  const std::size_t count = std::min(bytes_->scaling.size(), kMaxSizes);
  for (std::size_t i = 0; i < count; ++i) {
    // Traces give what is moved by the group that moves it: twice a half's share.
    const Scaling& scaling = *bytes_->scaling[i];
    values[i] = is_part ? bytes_->run_sizes[i] / ranks_ / 2
                        : scaling.of_fraction(bytes_->run_sizes[i], 2 * fraction);
  }
  const double bytes = median_of(*bytes_, {values.data(), count});
  message_bytes_.resize(std::max<std::size_t>(message_bytes_.size(), level + 1));
  message_bytes_[level] = std::max(message_bytes_[level], bytes);
  const detail::Communication& used = entry(level, leaves_host(group));
  // A factor that was fitted inside a host says nothing of a network that nobody measured.
  const bool is_assumed = leaves_host(group) && !network_.assumed.empty();
  double factor = (is_assumed ? paper_factor_ : parts_.exchange->factor) * parts_.exchange->what_if;
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
                   group.ranks.first);
    what.skeleton_s = median_of(skeleton->second, {&bytes, 1});
  }
  return what;
}

/// Of the pairs of ranks that a step moves something between both go on from the later one.
const RankClocks* Player::move(const detail::Step& step, const Ranks& group,
                               const RankClocks* line) {
  // Counted from the first rank of the group.
  const auto [left, right, count] = detail::pairs_of(step.ranks, group.ranks);
  const int a = left - group.ranks.first;
  const int b = right - group.ranks.first;
  const RankClocks* both =
      clocks_.later(clocks_.slice(line, a, count), clocks_.slice(line, b, count));
  if (!is_silent_) {
    const Moved what = moved(step, group);
    add_to_maxima(step, group, what.exchange_s + what.header_s + what.skeleton_s);
    both = spend(both, group.level, what);
  }
  const RankClocks* all = a > 0 ? clocks_.join(clocks_.slice(line, 0, a), both) : both;
  if (b > a + count) {
    all = clocks_.join(all, clocks_.slice(line, a + count, b - a - count));
  }
  all = clocks_.join(all, both);
  const int rest = line->size - b - count;
  return rest > 0 ? clocks_.join(all, clocks_.slice(line, b + count, rest)) : all;
}

/// The exchange; then comes the skeleton's own work.
const RankClocks* Player::spend(const RankClocks* line, int level, const Moved& what) {
  line = clocks_.spend(line, {detail::Block::exchange, level}, what.exchange_s);
  if (what.header_s > 0) {
    line = clocks_.spend(line, {detail::Block::wait, level}, what.header_s);
  }
  return blocks_.contains(detail::Block::skeleton)
             ? clocks_.spend(line, {detail::Block::skeleton, level}, what.skeleton_s)
             : line;
}

double Player::choose_splitter(const Ranks& group) {
  const Bound& pivot = bound(detail::Block::pivot);
  SizeValues values;
  const std::span<const double> sizes = sizes_of(pivot, detail::Block::pivot, group, values);
  const double splitter_bytes = is_silent_ ? 0 : parts_.exchange->splitter_bytes;
  const Place place{detail::Block::pivot, group.level};
  remember_width(place, pivot, sizes, group.ranks.first);
  const double messages =
      is_silent_ ? 0
                 : choose_seconds(entry(group.level, leaves_host(group)), group.ranks.size,
                                  sizes.back() * splitter_bytes, splitter_bytes);
  return messages + rehearsed_s(place, group.ranks.first).value_or(median_of(pivot, sizes));
}

}  // namespace cleave::models
