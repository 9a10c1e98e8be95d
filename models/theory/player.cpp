// SPDX-License-Identifier: Apache-2.0
#include "models/theory/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/theory/scaling.hpp"

namespace cleave::models {

using detail::Step;

namespace {

/// The steps of a group of so many ranks before its halves are solved and after that: beyond three
/// ranks all groups of an even size make the same, and all of an odd one.
struct StepsOfGroup {
  std::vector<Step> before_run;  ///< of the whole run, where the group is all ranks
  std::vector<Step> before;
  std::vector<Step> after;
  std::vector<Step> after_run;
};

StepsOfGroup steps_of(detail::Way way, int size) {
  StepsOfGroup steps;
  bool are_halves_solved = false;
  const int alike = size <= 3 ? size : 4 + size % 2;
  for (const Step& step : detail::schedule_of(way, alike).steps) {
    const bool is_of_run = step.kind == Step::Kind::agree || step.what == Step::What::length;
    are_halves_solved = are_halves_solved || step.group != 0;
    if (step.group == 0) {
      (is_of_run ? (step.what == Step::What::failure ? steps.after_run : steps.before_run)
                 : (are_halves_solved ? steps.after : steps.before))
          .push_back(step);
    }
  }
  return steps;
}

}  // namespace

Player::Player(const Model& model, const Network& network, int ranks, int ranks_per_host,
               const NamedSizes& sizes, const RehearsedRun* rehearsed, bool is_silent)
    : model_(model),
      parts_(*model.hypercube()),
      network_(network),
      ranks_(ranks),
      ranks_per_host_(ranks_per_host),
      run_sizes_(sizes),
      rehearsed_(rehearsed),
      is_silent_(is_silent),
      paper_factor_(paper_factor(model.placement)) {
  constexpr int kEveryStep = 3;
  for (const Step& step : detail::schedule_of(parts_.way, std::min(ranks, kEveryStep)).steps) {
    const bool is_block = step.kind == Step::Kind::work || step.kind == Step::Kind::choose;
    if (is_block && parts_.find(step.block) == nullptr) {
      throw Error(fmt::format("{} cannot be predicted: {}", name_of(step.block),
                              model_.reason_of(step.block)));
    }
  }
  if (ranks > 1 && !is_silent && !parts_.exchange) {
    throw Error("exchange cannot be predicted: " + model_.reason_of(detail::Block::exchange));
  }
}

NamedValues Player::sizes_of(detail::Block block, const PlayedGroup& group) const {
  const bool is_sample = block == detail::Block::sample;
  // Of what is sorted a rank has its share at every level.
  const bool is_share = is_sample || block == detail::Block::partition;
  NamedValues sizes = sizes_by(block, [&](const Scaling& scaling, double of_run) {
    return is_share ? of_run / ranks_ : scaling.of_fraction(of_run, group.fraction);
  });
  if (is_sample || block == detail::Block::pivot) {
    const auto elements = run_sizes_.find("N");
    const double samples = sampled(
        elements == run_sizes_.end() ? 0 : static_cast<double>(elements->second) * group.fraction);
    sizes["samples"] = is_sample ? samples / group.ranks.size : samples;
  }
  return sizes;
}

Player::Played Player::play() {
  const Arrival last = walk();
  Played result{.seconds = last.seconds};
  for (const auto& [place, seconds] : spent_on(last)) {
    result.shares.push_back({.block = place.block, .level = place.level, .seconds = seconds});
  }
  std::ranges::stable_sort(result.shares, {}, &BlockShare::level);
  set_half_widths(result);
  for (const auto& [place, seconds] : maxima_) {
    result.sum_of_maxima_s += seconds;
  }
  result.message_bytes = message_bytes_;
  result.is_outside_fitted_range = is_outside_;
  result.remarks = remarks_;
  result.levels_by_law = levels_by_law_;
  return result;
}

void Player::remember(Place place, double seconds, const NamedValues& sizes, int rank) {
  if (Slowest& slowest = slowest_at_[place]; seconds > slowest.seconds) {
    slowest = {seconds, sizes, rank};
  }
}

/// By the rehearsal, else by the law; 0 of a place that is neither's.
Estimate Player::said_at(Place place) const {
  const auto slowest = slowest_at_.find(place);
  if (slowest == slowest_at_.end()) {
    return {};
  }
  const auto& [seconds, sizes, rank] = slowest->second;
  const auto* const found = rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
  return found != nullptr ? found->second
                          : parts_.find(place.block)->law.at(sizes, ranks_per_host_);
}

/// Messages have the half width of exchanges.
void Player::set_half_widths(Played& played) const {
  for (const BlockShare& share : played.shares) {
    const Estimate said = said_at({share.block, share.level});
    const bool is_known = said.median > 0;
    const double of_messages = parts_.exchange ? parts_.exchange->half_width : 0;
    const double part = share.seconds / played.seconds;
    const double below = is_known ? std::log(said.median / said.low) : of_messages;
    const double above = is_known ? std::log(said.high / said.median) : of_messages;
    played.half_width_below += part * below;
    played.half_width_above += part * above;
    played.half_width_of_blocks += is_known ? part * std::max(below, above) : 0;
  }
}

Arrival Player::walk() {
  spending_ = {};
  solved_.clear();
  maxima_.clear();
  slowest_at_.clear();
  PlayedGroup all{.ranks = {.first = 0, .size = ranks_}};
  set_halves(all);
  const StepsOfGroup steps = steps_of(parts_.way, ranks_);
  RankClocks clocks(ranks_, {});
  for (const Step& step : steps.before_run) {
    play_step(step, all, clocks);
  }
  const Arrival begin = clocks.latest();
  clocks = solve(all);
  clocks.change([&](const Arrival& end) { return spending_.after(begin, end); });
  for (const Step& step : steps.after_run) {
    play_step(step, all, clocks);
  }
  return clocks.latest();
}

/// Each division is as uneven as the traces show.
void Player::set_halves(PlayedGroup& group) const {
  const double tilt = parts_.tilt;
  const double left_weight = group.ranks.left().size * std::exp(tilt / 2);
  const double share = left_weight / (left_weight + group.ranks.right().size * std::exp(-tilt / 2));
  group.left = group.fraction * share;
  group.right = group.fraction * (1 - share);
}

Player::PlayedGroup Player::half_of(const PlayedGroup& group, bool is_left) const {
  PlayedGroup half{.ranks = is_left ? group.ranks.left() : group.ranks.right(),
                   .level = group.level + 1,
                   .fraction = is_left ? group.left : group.right};
  set_halves(half);
  return half;
}

/// Beyond so many ranks fractions that differ by less than 0.02 % are alike, and a group's ranks
/// all go on with its latest. That is too late by a message for a rank that met its last one.
constexpr int kMostOneByOne = 4096;

/// Where the ranks of `group` come to, from 0 on. A half begins with its latest rank: the others
/// do nothing before they have met it.
RankClocks Player::solve(const PlayedGroup& group) {
  const bool is_coarse = ranks_ > kMostOneByOne;
  // Which ranks they are matters on hosts, and for what they have rehearsed.
  const int which = rehearsed_ != nullptr      ? group.ranks.first
                    : ranks_ > ranks_per_host_ ? group.ranks.first % ranks_per_host_
                                               : 0;
  const double fraction =
      is_coarse ? std::round(std::log2(group.fraction) * kMostOneByOne) : group.fraction;
  const auto key = std::tuple(group.ranks.size, group.level, which, static_cast<float>(fraction));
  const auto known = solved_.find(key);
  if (known != solved_.end()) {
    return known->second;
  }
  const StepsOfGroup steps = steps_of(parts_.way, group.ranks.size);
  RankClocks clocks(group.ranks.size, {});
  for (const Step& step : steps.before) {
    play_step(step, group, clocks);
  }
  if (group.ranks.size > 1) {
    const RankClocks before = std::exchange(clocks, {});
    for (const bool is_left : {true, false}) {
      const PlayedGroup half = half_of(group, is_left);
      const int first = half.ranks.first - group.ranks.first;
      const Arrival begin = before.slice(first, half.ranks.size).latest();
      RankClocks solved = solve(half);
      solved.change([&](const Arrival& end) { return spending_.after(begin, end); });
      clocks.add(solved);
    }
  }
  for (const Step& step : steps.after) {
    play_step(step, group, clocks);
  }
  // Where only first ranks go on, nobody is later than they, and nobody waits for the others.
  const bool do_all_go_on = std::ranges::any_of(
      steps.after, [](const Step& step) { return step.ranks == Step::Ranks::all; });
  if (is_coarse || !do_all_go_on) {
    clocks = RankClocks(group.ranks.size, clocks.latest());
  }
  return solved_.emplace(key, std::move(clocks)).first->second;
}

void Player::play_step(const Step& step, const PlayedGroup& group, RankClocks& clocks) {
  switch (step.kind) {
    case Step::Kind::work:
      return work(step, group, clocks);
    case Step::Kind::move:
      return move(step, group, clocks);
    case Step::Kind::tell_all:
    case Step::Kind::agree:
    case Step::Kind::choose:
      return meet(step, group, clocks);
  }
}

double Player::median_of(detail::Block block, const Law& law, const NamedValues& sizes) {
  std::pair key(block, sizes);
  for (auto& [name, value] : key.second) {
    value = static_cast<float>(value);
  }
  const auto known = medians_.find(key);
  return known != medians_.end()
             ? known->second
             : medians_.emplace(std::move(key), law.median(sizes, ranks_per_host_)).first->second;
}

double Player::by_law(detail::Block block, const NamedValues& sizes) {
  const Law& law =
      block == detail::Block::exchange ? parts_.exchange->bytes : parts_.find(block)->law;
  is_outside_ = is_outside_ || (rehearsed_ == nullptr && law.is_outside(sizes));
  return median_of(block, law, sizes);
}

/// What `rank` takes there by the rehearsal; nothing where it has no such block.
std::optional<double> Player::rehearsed_s(Place place, int rank) {
  const auto* const found = rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
  if (found == nullptr) {
    return std::nullopt;
  }
  return place.block == detail::Block::sequential
             ? found->second.median * leaf_ratio(rank, found->first)
             : found->second.median;
}

/// What the leaf of `rank` takes of that of a rehearsed one: by the law at the sizes of both.
double Player::leaf_ratio(int rank, int rehearsed) {
  const Law& law = parts_.find(detail::Block::sequential)->law;
  const auto by_law = [&](int of) -> std::optional<double> {
    const auto sizes = rehearsed_->leaves.find(of);
    const bool is_known =
        sizes != rehearsed_->leaves.end() && std::ranges::all_of(law.range, [&](const auto& size) {
          return sizes->second.contains(size.first);
        });
    return is_known ? std::optional(median_of(detail::Block::sequential, law, sizes->second))
                    : std::nullopt;
  };
  const std::optional<double> mine = by_law(rank);
  const std::optional<double> theirs = by_law(rehearsed);
  return mine && theirs && *theirs > 0 ? *mine / *theirs : 1;
}

void Player::spend(RankClocks& clocks, Place place, double seconds) {
  clocks.change([&](const Arrival& clock) { return spending_.spend(clock, place, seconds); });
}

void Player::work(const Step& step, const PlayedGroup& group, RankClocks& clocks) {
  const Place place{step.block, group.level};
  const NamedValues sizes = sizes_of(step.block, group);
  const double by_law_s = by_law(step.block, sizes);
  const bool is_of_all = step.ranks == Step::Ranks::all;
  if (is_of_all && rehearsed_ == nullptr) {
    remember(place, by_law_s, sizes, group.ranks.first);
    add_to_maxima(step, group, by_law_s);
    spend(clocks, place, by_law_s);
    return;
  }
  const RankClocks before = std::exchange(clocks, {});
  int rank = group.ranks.first;
  const int end = rank + (is_of_all ? group.ranks.size : 1);
  for (const Arrival& clock : before.slice(0, end - rank).each()) {
    const std::optional<double> rehearsed = rehearsed_s(place, rank);
    if (rehearsed_ != nullptr && !rehearsed) {
      levels_by_law_.insert(group.level);
      is_outside_ = is_outside_ || parts_.find(step.block)->law.is_outside(sizes);
    }
    const double seconds = rehearsed.value_or(by_law_s);
    remember(place, seconds, sizes, rank++);
    add_to_maxima(step, group, seconds);
    clocks.add(1, spending_.spend(clock, place, seconds));
  }
  clocks.add(before.slice(clocks.size(), group.ranks.size - clocks.size()));
}

void Player::add_to_maxima(const Step& step, const PlayedGroup& group, double seconds) {
  // What a group tells or agrees on several times adds up.
  const bool is_repeated = step.kind == Step::Kind::tell_all || step.kind == Step::Kind::agree;
  double& of_place =
      maxima_[{{step.block, group.level}, is_repeated ? step.what : Step::What::none}];
  of_place = std::max(of_place, seconds);
}

/// What stands for the messages of a level, inside hosts or between them.
const detail::Communication& Player::entry(const PlayedGroup& group, int level) {
  const std::pair key(level, leaves_host(group));
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    ChosenEntry chosen = entry_for(network_, ranks_, level, key.second);
    if (chosen.remark && std::ranges::find(remarks_, *chosen.remark) == remarks_.end()) {
      remarks_.push_back(*chosen.remark);
    }
    if (key.second && group.ranks.size > network_.most_ranks_between_hosts()) {
      chosen.entry.multiply_gap(network_.unseen_gap_factor);
    }
    found = entries_.emplace(key, std::move(chosen.entry)).first;
  }
  return found->second;
}

/// Whether a group has ranks of several hosts.
bool Player::leaves_host(const PlayedGroup& group) const {
  const detail::Group& ranks = group.ranks;
  return ranks.first / ranks_per_host_ != (ranks.first + ranks.size - 1) / ranks_per_host_;
}

}  // namespace cleave::models
