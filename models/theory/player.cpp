// SPDX-License-Identifier: Apache-2.0
#include "models/theory/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/schedule/messages.hpp>

namespace cleave::models {

using detail::Step;

namespace {

/// Of a place that a path does not come to.
constexpr double kNotThere = -1;

double sampled(double elements) {
  constexpr double kMost = 9e18;
  return static_cast<double>(
      detail::sample_of(static_cast<std::int64_t>(std::clamp(elements, 0.0, kMost))));
}

}  // namespace

Player::Player(const Model& model, const Network& network, int ranks, int ranks_per_host,
               const NamedSizes& sizes, const RehearsedRun* rehearsed)
    : model_(model),
      parts_(*model.hypercube()),
      network_(network),
      ranks_(ranks),
      ranks_per_host_(ranks_per_host),
      run_sizes_(sizes),
      rehearsed_(rehearsed),
      schedule_(detail::schedule_of(parts_.way, ranks)),
      paper_factor_(paper_factor(model.placement)) {
  for (const Step& step : schedule_.steps) {
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
  if (ranks > 1) {
    if (!parts_.exchange) {
      throw Error("exchange cannot be predicted: " + model_.reason_of(detail::Block::exchange));
    }
    bytes_.emplace(bind(detail::Block::exchange, parts_.exchange->bytes));
    if (const BlockModel* const skeleton = parts_.find(detail::Block::skeleton)) {
      blocks_.emplace(detail::Block::skeleton, bind(detail::Block::skeleton, skeleton->law));
    }
  }
  clocks_.resize(static_cast<std::size_t>(ranks));
  fractions_.resize(schedule_.groups.size());
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

double Player::elements_of(int group) const {
  const auto elements = run_sizes_.find("N");
  return elements == run_sizes_.end()
             ? 0
             : static_cast<double>(elements->second) * fractions_[static_cast<std::size_t>(group)];
}

std::span<const double> Player::sizes_of(const Bound& bound, detail::Block block, int group,
                                         SizeValues& values) const {
  const double fraction = fractions_[static_cast<std::size_t>(group)];
  const std::size_t count = std::min(bound.scaling.size(), kMaxSizes - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Scaling& scaling = *bound.scaling[i];
    values[i] = scaling.of_fraction(bound.run_sizes[i], fraction);
    // Unevenness that does not come from the divisions drawn here, as of sizes that do not halve.
    if (scaling.exponent == 0) {
      values[i] *= scaling.unevenness(group_at(group).level);
    }
    // Of what is sorted a rank has its share at every level.
    if (block == detail::Block::sample || block == detail::Block::partition) {
      values[i] = bound.run_sizes[i] / ranks_;
    }
  }
  std::size_t used = count;
  if (block == detail::Block::sample || block == detail::Block::pivot) {
    const double samples = sampled(elements_of(group));
    values[used++] =
        block == detail::Block::sample ? samples / group_at(group).ranks.size : samples;
  }
  return {values.data(), used};
}

double Player::seconds_with(const NetworkFactors& factors) {
  spent_.clear();
  set_factors(factors);
  return walk();
}

Player::Played Player::play() {
  set_factors({});
  is_outside_ = false;
  spent_.assign(clocks_.size() * places(), kNotThere);
  Played result{.seconds = walk()};
  const auto last = std::max_element(clocks_.begin(), clocks_.end()) - clocks_.begin();
  const std::span<const double> of_last = spent_by(static_cast<int>(last));
  for (std::size_t place = 0; place < of_last.size(); ++place) {
    if (of_last[place] != kNotThere) {
      result.shares.push_back(
          {.block = static_cast<detail::Block>(place % detail::kBlockNames.size()),
           .level = static_cast<int>(place / detail::kBlockNames.size()),
           .seconds = of_last[place]});
    }
  }
  set_half_widths(result);
  spent_.clear();
  result.sum_of_maxima_s = sum_of_maxima();
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
    played.half_width_below +=
        part * (is_known ? std::log(said->second.median / said->second.low) : of_messages);
    played.half_width_above +=
        part * (is_known ? std::log(said->second.high / said->second.median) : of_messages);
  }
}

double Player::walk() {
  std::ranges::fill(clocks_, 0.0);
  set_fractions();
  for (const Step& step : schedule_.steps) {
    this->step(step);
  }
  return *std::ranges::max_element(clocks_);
}

/// Each division is as uneven as the traces show.
void Player::set_fractions() {
  fractions_[0] = 1;
  for (std::size_t i = 1; i < schedule_.groups.size(); ++i) {
    const detail::ScheduledGroup& group = schedule_.groups[i];
    const auto parent = static_cast<std::size_t>(group.parent);
    const detail::Group& of = schedule_.groups[parent].ranks;
    const bool is_left = group.ranks.first == of.first;
    if (!is_left) {
      continue;  // with its left neighbour, below
    }
    const double tilt = parts_.tilt;
    const double left_weight = of.left().size * std::exp(tilt / 2);
    const double share = left_weight / (left_weight + of.right().size * std::exp(-tilt / 2));
    fractions_[i] = fractions_[parent] * share;
    fractions_[i + 1] = fractions_[parent] * (1 - share);
  }
}

void Player::step(const Step& step) {
  const detail::ScheduledGroup& group = group_at(step.group);
  const int level = group.level;
  const Place waits{detail::Block::wait, level};
  switch (step.kind) {
    case Step::Kind::work: {
      const Bound& block = bound(step.block);
      SizeValues values;
      const std::span<const double> sizes = sizes_of(block, step.block, step.group, values);
      remember_width({step.block, level}, block, sizes, group.ranks.first);
      const int count = step.ranks == Step::Ranks::all ? group.ranks.size : 1;
      work(step.block, step.group, group.ranks.first, count, median_of(block, sizes));
      break;
    }
    case Step::Kind::move:
      move(step);
      break;
    case Step::Kind::tell_all:
      meet(group.ranks.first, group.ranks.size, waits,
           all_gather_seconds(entry(level, leaves_host(step.group)), group.ranks.size,
                              static_cast<double>(step.bytes)));
      break;
    case Step::Kind::choose:
      meet(group.ranks.first, group.ranks.size, {detail::Block::pivot, level},
           choose_splitter(step.group));
      break;
    case Step::Kind::agree:
      if (ranks_ > 1) {
        meet(0, ranks_, waits, agreement_seconds(entry(0, leaves_host(0)), ranks_));
      }
      break;
  }
}

double Player::median_of(const Bound& bound, std::span<const double> sizes) {
  is_outside_ = is_outside_ || (rehearsed_ == nullptr && bound.law->is_outside(sizes));
  return bound.law->median(sizes);
}

/// What is known at the first group of a level stands for all of them.
void Player::remember_width(Place place, const Bound& bound, std::span<const double> sizes,
                            int rank) {
  if (!spent_.empty() && !said_.contains(place)) {
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

void Player::work(detail::Block block, int group, int first, int count, double by_law_s) {
  const Place place{block, group_at(group).level};
  for (int rank = first; rank < first + count; ++rank) {
    spend(rank, place, rehearsed_s(place, rank).value_or(by_law_s));
  }
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
bool Player::leaves_host(int group) const {
  const detail::Group& ranks = group_at(group).ranks;
  return ranks.first / ranks_per_host_ != (ranks.first + ranks.size - 1) / ranks_per_host_;
}

void Player::spend(int rank, Place place, double seconds) {
  clocks_[static_cast<std::size_t>(rank)] += seconds;
  if (!spent_.empty()) {
    double& at_place =
        spent_by(rank)[static_cast<std::size_t>(place.level) * detail::kBlockNames.size() +
                       static_cast<std::size_t>(place.block)];
    at_place = std::max(at_place, 0.0) + seconds;
  }
}

/// Blocks at each level.
std::size_t Player::places() const {
  const auto deepest =
      std::ranges::max_element(schedule_.groups, {}, &detail::ScheduledGroup::level);
  return static_cast<std::size_t>(deepest->level + 1) * detail::kBlockNames.size();
}

std::span<double> Player::spent_by(int rank) {
  const std::size_t count = spent_.size() / clocks_.size();
  return std::span(spent_).subspan(static_cast<std::size_t>(rank) * count, count);
}

/// From now on `rank` is where `other` is: the path to it is the other's.
void Player::follow(int rank, int other) {
  clocks_[static_cast<std::size_t>(rank)] = clocks_[static_cast<std::size_t>(other)];
  if (!spent_.empty() && rank != other) {
    std::ranges::copy(spent_by(other), spent_by(rank).begin());
  }
}

/// Equation 6: level by level what the slowest rank takes, with the largest sizes of the level.
double Player::sum_of_maxima() {
  double sum = 0;
  std::map<Place, double> longest;
  for (const Step& step : schedule_.steps) {
    const detail::ScheduledGroup& group = group_at(step.group);
    const std::span<double> clocks = std::span(clocks_).subspan(
        static_cast<std::size_t>(group.ranks.first), static_cast<std::size_t>(group.ranks.size));
    std::ranges::fill(clocks, 0.0);
    this->step(step);
    const double seconds = *std::ranges::max_element(clocks);
    double& of_place = longest[{step.block, group.level}];
    const bool is_repeated = step.kind == Step::Kind::tell_all || step.kind == Step::Kind::agree;
    of_place = is_repeated ? of_place + seconds : std::max(of_place, seconds);
  }
  for (const auto& [place, seconds] : longest) {
    sum += seconds;
  }
  return sum;
}

}  // namespace cleave::models
