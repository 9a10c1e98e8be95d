// SPDX-License-Identifier: Apache-2.0
#include "models/theory/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/theory/scaling.hpp"

namespace cleave::models {

using detail::Step;

namespace {

/// The steps of a group of so many ranks before its halves are solved and after that: all groups
/// of an even size make the same, and all of an odd one.
struct StepsOfGroup {
  std::vector<Step> before_run;  ///< of the whole run, where the group is all ranks
  std::vector<Step> before;
  std::vector<Step> after;
  std::vector<Step> after_run;
};

StepsOfGroup steps_of(detail::Way way, int size) {
  StepsOfGroup steps;
  bool are_halves_solved = false;
  const int alike = size == 1 ? 1 : 2 + size % 2;
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
    if (!is_block || blocks_.contains(step.block)) {
      continue;
    }
    const BlockModel* const block = parts_.find(step.block);
    if (block == nullptr) {
      throw Error(fmt::format("{} cannot be predicted: {}", name_of(step.block),
                              model_.reason_of(step.block)));
    }
    blocks_.emplace(step.block, bind(step.block, block->law));
  }
  if (ranks > 1 && !is_silent) {
    if (!parts_.exchange) {
      throw Error("exchange cannot be predicted: " + model_.reason_of(detail::Block::exchange));
    }
    bytes_.emplace(bind(detail::Block::exchange, parts_.exchange->bytes));
    if (const BlockModel* const skeleton = parts_.find(detail::Block::skeleton)) {
      blocks_.emplace(detail::Block::skeleton, bind(detail::Block::skeleton, skeleton->law));
    }
  }
}

Player::Bound Player::bind(detail::Block block, const Law& law) const {
  Bound bound;
  for (const Scaling& scaling : parts_.scaling) {
    const auto run_size = run_sizes_.find(scaling.size);
    if (scaling.block == block && run_size != run_sizes_.end()) {
      bound.names.push_back(scaling.size);
      bound.scaling.push_back(&scaling);
      bound.run_sizes.push_back(static_cast<double>(run_size->second));
    }
  }
  // Sizes that follow from others rather than from the run's.
  if (block == detail::Block::sample || block == detail::Block::pivot) {
    bound.names.push_back("samples");
  } else if (block == detail::Block::skeleton) {
    bound.names = {"bytes"};
    bound.scaling.clear();
  }
  bound.law.emplace(law, ranks_per_host_, bound.names);
  return bound;
}

const Player::Bound& Player::bound(detail::Block block) const { return blocks_.at(block); }

double Player::elements_of(const Ranks& group) const {
  const auto elements = run_sizes_.find("N");
  return elements == run_sizes_.end() ? 0 : static_cast<double>(elements->second) * group.fraction;
}

std::span<const double> Player::sizes_of(const Bound& bound, detail::Block block,
                                         const Ranks& group, SizeValues& values) const {
  const std::size_t count = std::min(bound.scaling.size(), kMaxSizes - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Scaling& scaling = *bound.scaling[i];
    values[i] = scaling.of_fraction(bound.run_sizes[i], group.fraction);
    // Of what is sorted a rank has its share at every level.
    if (block == detail::Block::sample || block == detail::Block::partition) {
      values[i] = bound.run_sizes[i] / ranks_;
    }
  }
  std::size_t used = count;
  if (block == detail::Block::sample || block == detail::Block::pivot) {
    const double samples = sampled(elements_of(group));
    values[used++] = block == detail::Block::sample ? samples / group.ranks.size : samples;
  }
  return {values.data(), used};
}

double Player::seconds_with(const NetworkFactors& factors) {
  is_first_play_ = false;
  set_factors(factors);
  return walk()->latest.seconds;
}

Player::Played Player::play() {
  is_first_play_ = true;
  set_factors({});
  const Arrival last = walk()->latest;
  Played result{.seconds = last.seconds};
  for (const auto& [place, seconds] : Clocks::spent_on(last)) {
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
  return result;
}

/// Messages have the half width of exchanges.
void Player::set_half_widths(Played& played) const {
  for (const BlockShare& share : played.shares) {
    const auto said = said_.find({share.block, share.level});
    const bool is_known = said != said_.end() && said->second.median > 0;
    const double of_messages = parts_.exchange ? parts_.exchange->half_width : 0;
    const double part = share.seconds / played.seconds;
    const double below = is_known ? std::log(said->second.median / said->second.low) : of_messages;
    const double above = is_known ? std::log(said->second.high / said->second.median) : of_messages;
    played.half_width_below += part * below;
    played.half_width_above += part * above;
    played.half_width_of_blocks += is_known ? part * std::max(below, above) : 0;
  }
}

const RankClocks* Player::walk() {
  clocks_ = {};
  solved_.clear();
  maxima_.clear();
  Ranks all{.ranks = {.first = 0, .size = ranks_}};
  set_halves(all);
  const StepsOfGroup steps = steps_of(parts_.way, ranks_);
  const RankClocks* line = clocks_.same(ranks_, {});
  for (const Step& step : steps.before_run) {
    line = this->step(step, all, line);
  }
  line = clocks_.after(line->latest, solve(all));
  for (const Step& step : steps.after_run) {
    line = this->step(step, all, line);
  }
  return line;
}

/// Each division is as uneven as the traces show.
void Player::set_halves(Ranks& group) const {
  const double tilt = parts_.tilt;
  const double left_weight = group.ranks.left().size * std::exp(tilt / 2);
  const double share = left_weight / (left_weight + group.ranks.right().size * std::exp(-tilt / 2));
  group.left = group.fraction * share;
  group.right = group.fraction * (1 - share);
}

Player::Ranks Player::half_of(const Ranks& group, bool is_left) const {
  Ranks half{.ranks = is_left ? group.ranks.left() : group.ranks.right(),
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
const RankClocks* Player::solve(const Ranks& group) {
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
  const RankClocks* line = clocks_.same(group.ranks.size, {});
  for (const Step& step : steps.before) {
    line = this->step(step, group, line);
  }
  if (group.ranks.size > 1) {
    const int middle = group.ranks.left().size;
    const Arrival left = clocks_.slice(line, 0, middle)->latest;
    const Arrival right = clocks_.slice(line, middle, group.ranks.size - middle)->latest;
    line = clocks_.join(clocks_.after(left, solve(half_of(group, true))),
                        clocks_.after(right, solve(half_of(group, false))));
  }
  for (const Step& step : steps.after) {
    line = this->step(step, group, line);
  }
  // Where only first ranks go on, nobody is later than they, and nobody waits for the others.
  const bool do_all_go_on = std::ranges::any_of(
      steps.after, [](const Step& step) { return step.ranks == Step::Ranks::all; });
  if (is_coarse || !do_all_go_on) {
    line = clocks_.same(line->size, line->latest);
  }
  solved_.emplace(key, line);
  return line;
}

const RankClocks* Player::step(const Step& step, const Ranks& group, const RankClocks* line) {
  const Place waits{detail::Block::wait, group.level};
  switch (step.kind) {
    case Step::Kind::work:
      return work(step, group, line);
    case Step::Kind::move:
      return move(step, group, line);
    case Step::Kind::tell_all:
    case Step::Kind::agree:
    case Step::Kind::choose:
      break;
  }
  if (step.kind != Step::Kind::choose && (ranks_ == 1 || is_silent_)) {
    return clocks_.same(line->size, line->latest);
  }
  const Place place =
      step.kind == Step::Kind::choose ? Place{detail::Block::pivot, group.level} : waits;
  const double seconds =
      step.kind == Step::Kind::choose ? choose_splitter(group)
      : step.kind == Step::Kind::agree
          ? agreement_seconds(entry(0, leaves_host(group)), ranks_)
          : all_gather_seconds(entry(group.level, leaves_host(group)), group.ranks.size,
                               static_cast<double>(step.bytes));
  add_to_maxima(step, group, seconds);
  return clocks_.same(line->size, clocks_.spend(line->latest, place, seconds));
}

double Player::median_of(const Bound& bound, std::span<const double> sizes) {
  is_outside_ = is_outside_ || (rehearsed_ == nullptr && bound.law->is_outside(sizes));
  return bound.law->median(sizes);
}

/// What is known at the first group of a level stands for all of them.
void Player::remember_width(Place place, const Bound& bound, std::span<const double> sizes,
                            int rank) {
  if (is_first_play_ && !said_.contains(place)) {
    const auto* found = rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
    said_.emplace(place, found != nullptr ? found->second : bound.law->at(sizes));
  }
}

/// What `rank` takes there by the rehearsal; nothing where it has no such block.
std::optional<double> Player::rehearsed_s(Place place, int rank) const {
  const auto* const found = rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
  if (found == nullptr) {
    return std::nullopt;
  }
  return place.block == detail::Block::sequential
             ? found->second.median * leaf_ratio(rank, found->first)
             : found->second.median;
}

/// What the leaf of `rank` takes of that of a rehearsed one: by the law at the sizes of both.
double Player::leaf_ratio(int rank, int rehearsed) const {
  const Bound& leaf = bound(detail::Block::sequential);
  const auto by_law = [&](int of) -> std::optional<double> {
    const auto sizes = rehearsed_->leaves.find(of);
    std::vector<double> values;
    for (const std::string& name : leaf.names) {
      if (sizes == rehearsed_->leaves.end() || !sizes->second.contains(name)) {
        return std::nullopt;
      }
      values.push_back(sizes->second.at(name));
    }
    return leaf.law->median(values);
  };
  const std::optional<double> mine = by_law(rank);
  const std::optional<double> theirs = by_law(rehearsed);
  return mine && theirs && *theirs > 0 ? *mine / *theirs : 1;
}

const RankClocks* Player::work(const Step& step, const Ranks& group, const RankClocks* line) {
  const Bound& block = bound(step.block);
  const Place place{step.block, group.level};
  const int first = group.ranks.first;
  SizeValues values;
  const std::span<const double> sizes = sizes_of(block, step.block, group, values);
  remember_width(place, block, sizes, first);
  const double by_law_s = median_of(block, sizes);
  const bool is_of_all = step.ranks == Step::Ranks::all;
  if (is_of_all && rehearsed_ == nullptr) {
    add_to_maxima(step, group, by_law_s);
    return clocks_.spend(line, place, by_law_s);
  }
  for (int i = 0; i < (is_of_all ? group.ranks.size : 1); ++i) {
    const double seconds = rehearsed_s(place, first + i).value_or(by_law_s);
    add_to_maxima(step, group, seconds);
    line = clocks_.with(line, i, clocks_.spend(Clocks::at(line, i), place, seconds));
  }
  return line;
}

void Player::add_to_maxima(const Step& step, const Ranks& group, double seconds) {
  // What a group tells or agrees on several times adds up.
  const bool is_repeated = step.kind == Step::Kind::tell_all || step.kind == Step::Kind::agree;
  double& of_place =
      maxima_[{{step.block, group.level}, is_repeated ? step.what : Step::What::none}];
  of_place = std::max(of_place, seconds);
}

const detail::Communication& Player::entry(int level, bool leaves_host) {
  const std::pair key(level, leaves_host);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    ChosenEntry chosen = entry_for(network_, ranks_, level, leaves_host);
    if (chosen.remark && std::ranges::find(remarks_, *chosen.remark) == remarks_.end()) {
      remarks_.push_back(*chosen.remark);
    }
    found = entries_.emplace(key, Entry{chosen.entry, chosen.entry}).first;
    set_factors(factors_);
  }
  return found->second.of_play;
}

/// What is assumed of a network between hosts is multiplied by these in this play.
void Player::set_factors(const NetworkFactors& factors) {
  factors_ = factors;
  for (auto& [of, entry] : entries_) {
    if (of.second && !network_.assumed.empty()) {
      entry.of_play.latency_s = entry.typical.latency_s * factors.latency;
      entry.of_play.gap_s_per_byte = entry.typical.gap_s_per_byte * factors.gap;
    }
  }
}

/// Whether a group has ranks of several hosts.
bool Player::leaves_host(const Ranks& group) const {
  const detail::Group& ranks = group.ranks;
  return ranks.first / ranks_per_host_ != (ranks.first + ranks.size - 1) / ranks_per_host_;
}

}  // namespace cleave::models
