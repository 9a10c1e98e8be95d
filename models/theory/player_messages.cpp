// SPDX-License-Identifier: Apache-2.0
// What the player does where ranks meet.
#include <algorithm>

#include <cleave/schedule/messages.hpp>

#include "models/theory/player.hpp"

namespace cleave::models {

/// How much of the problem, or of what is made of it, the step moves: a half of the group, of both
/// the larger.
double Player::fraction_moved(const detail::Step& step, const PlayedGroup& group) {
  using Flow = detail::Step::Flow;
  const bool is_of_right = (step.flow == Flow::to_right) == step.is_of_getter;
  return step.flow == Flow::both || step.ranks == detail::Step::Ranks::last
             ? std::max(group.left, group.right)
         : is_of_right ? group.right
                       : group.left;
}

Player::Moved Player::moved(const detail::Step& step, const PlayedGroup& group) {
  const bool is_part = step.what == detail::Step::What::part;
  // Traces give what is moved by the group that moves it: twice a half's share.
  const double fraction = 2 * fraction_moved(step, group);
  const double bytes =
      by_law(detail::Block::exchange,
             sizes_by(detail::Block::exchange, [&](const Scaling& scaling, double of_run) {
               return is_part ? of_run / ranks_ / 2 : scaling.of_fraction(of_run, fraction);
             }));
  const auto level = static_cast<std::size_t>(group.level);
  message_bytes_.resize(std::max(message_bytes_.size(), level + 1));
  message_bytes_[level] = std::max(message_bytes_[level], bytes);
  const detail::Communication& used = entry(group, group.level);
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
  if (parts_.find(detail::Block::skeleton) != nullptr) {
    const NamedValues sizes = {{"bytes", bytes}};
    what.skeleton_s = by_law(detail::Block::skeleton, sizes);
    remember({detail::Block::skeleton, group.level}, what.skeleton_s, sizes, group.ranks.first);
  }
  return what;
}

/// Of the pairs of ranks that a step moves something between both go on from the later one. After
/// the exchange comes the skeleton's own work.
void Player::move(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks) {
  // Counted from the first rank of the group.
  const auto [left, right, count] = detail::pairs_of(step.ranks, group.ranks);
  const int a = left - group.ranks.first;
  const int b = right - group.ranks.first;
  RankClocks both = RankClocks::later(clocks.slice(a, count), clocks.slice(b, count));
  if (!is_silent_) {
    const Moved what = moved(step, group);
    add_to_maxima(step, group, what.exchange_s + what.header_s + what.skeleton_s);
    spend(both, {detail::Block::exchange, group.level}, what.exchange_s);
    if (what.header_s > 0) {
      spend(both, {detail::Block::wait, group.level}, what.header_s);
    }
    if (parts_.find(detail::Block::skeleton) != nullptr) {
      spend(both, {detail::Block::skeleton, group.level}, what.skeleton_s);
    }
  }
  RankClocks all = clocks.slice(0, a);
  all.add(both);
  all.add(clocks.slice(a + count, b - a - count));
  all.add(both);
  all.add(clocks.slice(b + count, group.ranks.size - b - count));
  clocks = std::move(all);
}

/// All ranks of the group go on from its latest one.
void Player::meet(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks) {
  Arrival together = clocks.latest();
  const bool chooses = step.kind == detail::Step::Kind::choose;
  if (chooses || (ranks_ > 1 && !is_silent_)) {
    const double seconds = chooses ? choose_splitter(group)
                           : step.kind == detail::Step::Kind::agree
                               ? agreement_seconds(entry(group, 0), ranks_)
                               : all_gather_seconds(entry(group, group.level), group.ranks.size,
                                                    static_cast<double>(step.bytes));
    add_to_maxima(step, group, seconds);
    together = spending_.spend(
        together, {chooses ? detail::Block::pivot : detail::Block::wait, group.level}, seconds);
  }
  clocks = RankClocks(group.ranks.size, together);
}

double Player::choose_splitter(const PlayedGroup& group) {
  const NamedValues sizes = sizes_of(detail::Block::pivot, group);
  const Place place{detail::Block::pivot, group.level};
  const double seconds =
      rehearsed_s(place, group.ranks.first).value_or(by_law(detail::Block::pivot, sizes));
  remember(place, seconds, sizes, group.ranks.first);
  const double splitter_bytes = is_silent_ ? 0 : parts_.exchange->splitter_bytes;
  const double messages =
      is_silent_ ? 0
                 : choose_seconds(entry(group, group.level), group.ranks.size,
                                  sizes.at("samples") * splitter_bytes, splitter_bytes);
  return messages + seconds;
}

}  // namespace cleave::models
