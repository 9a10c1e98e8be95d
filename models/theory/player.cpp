// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <cleave/schedule/schedule.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

using detail::Block;
using detail::Group;
using detail::ScheduledGroup;
using detail::Step;

struct Spot {
  Block block = Block::sequential;
  int level = 0;
  friend auto operator<=>(const Spot&, const Spot&) = default;
};

/// A stretch of time of a rank, and the one before it.
struct Spent {
  int before = -1;  ///< index into Player::spent_
  Spot place;
  double seconds = 0;
};

/// Where a rank is.
struct Clock {
  double seconds = 0;
  int spent = -1;  ///< index into Player::spent_
  friend bool operator==(const Clock&, const Clock&) = default;
};

/// The rank that takes longest at a place; its interval stands for all of them.
struct Slowest {
  double seconds = -1;
  double half_width = 0;
};

class Player {
 public:
  Player(Prediction& prediction, const Model& model, const Network& network, bool is_silent,
         const RehearsedRun* rehearsed)
      : prediction_(prediction),
        model_(model),
        parts_(*model.hypercube()),
        network_(network),
        ranks_(prediction.ranks),
        rehearsed_(rehearsed),
        is_silent_(is_silent),
        clocks_(static_cast<std::size_t>(ranks_)) {}

  Parts play() {
    const detail::Schedule schedule = detail::schedule_of(parts_.way, ranks_);
    require_known(schedule);
    for (const Step& step : schedule.steps) {
      const ScheduledGroup& group = schedule.groups[static_cast<std::size_t>(step.group)];
      if (step.kind == Step::Kind::work) {
        work(step, group);
      } else if (step.kind == Step::Kind::move) {
        move(step, group);
      } else {
        meet(step, group);
      }
    }
    prediction_.sum_of_maxima_s = 0;
    for (const auto& [place, seconds] : maxima_) {
      *prediction_.sum_of_maxima_s += seconds;
    }
    return set_shares(*std::ranges::max_element(clocks_, {}, &Clock::seconds));
  }

 private:
  void require_known(const detail::Schedule& schedule) const {
    const auto require = [&](Block block, bool is_known) {
      if (!is_known) {
        throw Error(
            fmt::format("{} cannot be predicted: {}", name_of(block), model_.reason_of(block)));
      }
    };
    for (const Step& step : schedule.steps) {
      const bool is_block = step.kind == Step::Kind::work || step.kind == Step::Kind::choose;
      require(step.block, !is_block || parts_.find(step.block) != nullptr);
    }
    require(Block::exchange, ranks_ == 1 || is_silent_ || parts_.exchange);
  }

  double fraction_of(int ranks) const { return static_cast<double>(ranks) / ranks_; }

  /// The sizes of `block`, each as `size_of` has it of its scaling and the run's size.
  template <class SizeOf>
  NamedValues sizes_by(Block block, const SizeOf& size_of) const {
    NamedValues sizes;
    for (const Scaling& scaling : parts_.scaling) {
      const auto of_run = prediction_.sizes.find(scaling.size);
      if (scaling.block == block && of_run != prediction_.sizes.end()) {
        sizes[scaling.size] = size_of(scaling, static_cast<double>(of_run->second));
      }
    }
    return sizes;
  }

  NamedValues sizes_of(Block block, const Group& group) const {
    const double fraction = fraction_of(group.size);
    const bool is_sample = block == Block::sample;
    // A rank has its share of the sorted at every level.
    const bool is_share = is_sample || block == Block::partition;
    NamedValues sizes = sizes_by(block, [&](const Scaling& scaling, double of_run) {
      return is_share ? of_run / ranks_ : scaling.of_fraction(of_run, fraction);
    });
    if (is_sample || block == Block::pivot) {
      const auto elements = prediction_.sizes.find("N");
      const double samples = sampled(elements == prediction_.sizes.end()
                                         ? 0
                                         : static_cast<double>(elements->second) * fraction);
      sizes["samples"] = is_sample ? samples / group.size : samples;
    }
    return sizes;
  }

  Clock& clock_of(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }

  Clock spend(const Clock& clock, Spot place, double seconds) {
    spent_.push_back({clock.spent, place, seconds});
    return {clock.seconds + seconds, static_cast<int>(spent_.size()) - 1};
  }

  void work(const Step& step, const ScheduledGroup& group) {
    const Spot place{step.block, group.level};
    const NamedValues sizes = sizes_of(step.block, group.ranks);
    const double by_law_s = by_law(step.block, sizes);
    const int ranks = step.ranks == Step::Ranks::all ? group.ranks.size : 1;
    // Neighbours that were at the same and do the same are at the same again.
    Clock before;
    Clock after;
    double last_s = -1;
    for (int rank = group.ranks.first; rank < group.ranks.first + ranks; ++rank) {
      const std::optional<double> rehearsed = rehearsed_s(place, rank);
      const double seconds = rehearsed.value_or(by_law_s);
      Clock& clock = clock_of(rank);
      if (seconds != last_s || clock != before) {
        remember(place, seconds, sizes, rank);
        add_to_maxima(step, group, seconds);
        before = clock;
        after = spend(clock, place, seconds);
        last_s = seconds;
      }
      clock = after;
    }
  }

  /// Pairs of ranks go on from the later one. After the exchange comes the skeleton's own work.
  void move(const Step& step, const ScheduledGroup& group) {
    const std::vector<std::pair<Block, double>> parts =
        is_silent_ ? std::vector<std::pair<Block, double>>() : moved(step, group);
    double all_s = 0;
    for (const auto& [block, seconds] : parts) {
      all_s += seconds;
    }
    add_to_maxima(step, group, all_s);
    const auto [left, right, count] = detail::pairs_of(step.ranks, group.ranks);
    for (int pair = 0; pair < count; ++pair) {
      Clock& a = clock_of(left + pair);
      Clock& b = clock_of(right + pair);
      Clock both = b.seconds > a.seconds ? b : a;
      for (const auto& [block, seconds] : parts) {
        both = spend(both, {block, group.level}, seconds);
      }
      a = b = both;
    }
  }

  /// All ranks of the group go on from its latest one.
  void meet(const Step& step, const ScheduledGroup& group) {
    const auto first = clocks_.begin() + group.ranks.first;
    const auto end = first + group.ranks.size;
    Clock together = *std::ranges::max_element(first, end, {}, &Clock::seconds);
    const bool chooses = step.kind == Step::Kind::choose;
    if (chooses || (ranks_ > 1 && !is_silent_)) {
      const double seconds = chooses ? choose_splitter(group)
                             : step.kind == Step::Kind::agree
                                 ? agreement_seconds(entry(group, 0), ranks_)
                                 : all_gather_seconds(entry(group, group.level), group.ranks.size,
                                                      static_cast<double>(step.bytes));
      add_to_maxima(step, group, seconds);
      together = spend(together, {chooses ? Block::pivot : Block::wait, group.level}, seconds);
    }
    std::fill(first, end, together);
  }

  double choose_splitter(const ScheduledGroup& group) {
    const NamedValues sizes = sizes_of(Block::pivot, group.ranks);
    const Spot place{Block::pivot, group.level};
    const double seconds =
        rehearsed_s(place, group.ranks.first).value_or(by_law(Block::pivot, sizes));
    remember(place, seconds, sizes, group.ranks.first);
    if (is_silent_) {
      return seconds;
    }
    const double splitter_bytes = parts_.exchange->splitter_bytes;
    return seconds + choose_seconds(entry(group, group.level), group.ranks.size,
                                    sizes.at("samples") * splitter_bytes, splitter_bytes);
  }

  /// The blocks of a pair of ranks in a step that moves something.
  std::vector<std::pair<Block, double>> moved(const Step& step, const ScheduledGroup& group) {
    const bool is_part = step.what == Step::What::part;
    // Traces give what is moved by the group that moves it: twice a half's share.
    const double fraction = 2 * fraction_moved(step, group.ranks);
    const double bytes = by_law(
        Block::exchange, sizes_by(Block::exchange, [&](const Scaling& scaling, double of_run) {
          return is_part ? of_run / ranks_ / 2 : scaling.of_fraction(of_run, fraction);
        }));
    const auto level = static_cast<std::size_t>(group.level);
    std::vector<double>& longest = prediction_.message_bytes;
    longest.resize(std::max(longest.size(), level + 1));
    longest[level] = std::max(longest[level], bytes);
    const detail::Communication& used = entry(group, group.level);
    const double papers = paper_factor(model_.placement);
    const double factor = (is_unseen(group) ? papers : parts_.exchange->factor) /
                          (step.flow == Step::Flow::both ? 1 : papers);
    std::vector<std::pair<Block, double>> parts = {
        {Block::exchange, factor * used.unit_seconds(bytes)}};
    if (step.what != Step::What::part) {
      parts.emplace_back(Block::wait, header_seconds(used, bytes));
    }
    if (parts_.find(Block::skeleton) != nullptr) {
      const NamedValues sizes = {{"bytes", bytes}};
      parts.emplace_back(Block::skeleton, by_law(Block::skeleton, sizes));
      remember({Block::skeleton, group.level}, parts.back().second, sizes, group.ranks.first);
    }
    if (is_unseen(group)) {
      double& half_width = half_width_of_messages_[group.level];
      half_width = std::max(half_width, half_width_of(used, bytes));
    }
    return parts;
  }

  /// How much of the problem, or of what is made of it, the step moves: of both halves the larger.
  double fraction_moved(const Step& step, const Group& group) const {
    const bool is_of_right =
        (step.flow == Step::Flow::to_right) == (step.what != Step::What::solution);
    const int left = group.left().size;
    const int right = group.right().size;
    return fraction_of(step.flow == Step::Flow::both || step.ranks == Step::Ranks::last
                           ? std::max(left, right)
                       : is_of_right ? right
                                     : left);
  }

  double median_of(Block block, const Law& law, const NamedValues& sizes) {
    const std::pair key(block, sizes);
    const auto known = medians_.find(key);
    return known != medians_.end()
               ? known->second
               : medians_.emplace(key, law.median(sizes, prediction_.ranks_per_host)).first->second;
  }

  double by_law(Block block, const NamedValues& sizes) {
    const Law& law = block == Block::exchange ? parts_.exchange->bytes : parts_.find(block)->law;
    return median_of(block, law, sizes);
  }

  /// The time of `rank` there by the rehearsal; nothing where it has no such block.
  std::optional<double> rehearsed_s(Spot place, int rank) {
    const auto* const found =
        rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
    if (found == nullptr) {
      return std::nullopt;
    }
    return found->second.median *
           (place.block == Block::sequential ? leaf_ratio(rank, found->first) : 1);
  }

  /// The time of the leaf of `rank` relative to that of a rehearsed one, by the law at both.
  double leaf_ratio(int rank, int rehearsed) {
    const Law& law = parts_.find(Block::sequential)->law;
    const auto by_law = [&](int of) {
      const auto leaf = rehearsed_->leaves.find(of);
      const bool is_known =
          leaf != rehearsed_->leaves.end() &&
          std::ranges::all_of(law.range, [&](auto& s) { return leaf->second.contains(s.first); });
      return is_known ? median_of(Block::sequential, law, leaf->second) : 0;
    };
    const double mine = by_law(rank);
    const double theirs = by_law(rehearsed);
    return theirs > 0 && mine > 0 ? mine / theirs : 1;
  }

  void remember(Spot place, double seconds, const NamedValues& sizes, int rank) {
    Slowest& slowest = slowest_at_[place];
    if (seconds <= slowest.seconds) {
      return;
    }
    const auto* const found =
        rehearsed_ ? rehearsed_->find(place.block, place.level, rank) : nullptr;
    slowest = {seconds,
               (found ? found->second
                      : parts_.find(place.block)->law.at(sizes, prediction_.ranks_per_host))
                   .half_width()};
  }

  /// Equation 6: what the slowest rank takes at each place; what a group does twice adds up.
  void add_to_maxima(const Step& step, const ScheduledGroup& group, double seconds) {
    const bool is_repeated = step.kind == Step::Kind::tell_all || step.kind == Step::Kind::agree;
    double& longest =
        maxima_[{{step.block, group.level}, is_repeated ? step.what : Step::What::none}];
    longest = std::max(longest, seconds);
  }

  /// The calibrated entry for the messages of a level, inside hosts or between them.
  const detail::Communication& entry(const ScheduledGroup& group, int level) {
    const bool leaves = leaves_host(group.ranks);
    const detail::Communication& found = entry_for(network_, ranks_, level, leaves);
    const bool is_assumed = leaves && !network_.assumed().empty();
    if (found.ranks != ranks_ && !is_assumed && others_.insert(found.ranks).second) {
      prediction_.remarks.push_back(fmt::format("l and g are those of {} ranks", found.ranks));
    }
    return found;
  }

  bool leaves_host(const Group& ranks) const {
    const int on_host = prediction_.ranks_per_host;
    return ranks.first / on_host != (ranks.first + ranks.size - 1) / on_host;
  }
  /// Whether messages go between hosts, of which a factor fitted inside a host says nothing.
  bool is_unseen(const ScheduledGroup& group) const {
    return leaves_host(group.ranks) && !model_.has_left_host();
  }

  /// The parts of `last`; the half widths of blocks and of messages by their shares in these. All
  /// that has no law is messages, with the half width of exchanges and of an unseen network.
  Parts set_shares(const Clock& last) {
    std::map<Spot, double> all;
    for (int at = last.spent; at >= 0; at = spent_[static_cast<std::size_t>(at)].before) {
      const Spent& spent = spent_[static_cast<std::size_t>(at)];
      all[spent.place] += spent.seconds;
    }
    Parts parts;
    for (const auto& [place, seconds] : all) {
      const auto slowest = slowest_at_.find(place);
      const bool is_message = slowest == slowest_at_.end();
      prediction_.shares.push_back({.block = place.block,
                                    .level = place.level,
                                    .seconds = seconds,
                                    .is_message = is_message});
      const double of_messages = parts_.exchange ? std::hypot(parts_.exchange->half_width,
                                                              half_width_of_messages_[place.level])
                                                 : 0;
      (is_message ? parts.messages_s : parts.blocks_s) += seconds;
      (is_message ? parts.messages : parts.blocks) +=
          seconds * (is_message ? of_messages : slowest->second.half_width);
    }
    parts.blocks /= std::max(parts.blocks_s, kShortest_s);
    parts.messages /= std::max(parts.messages_s, kShortest_s);
    std::ranges::stable_sort(prediction_.shares, {}, &BlockShare::level);
    prediction_.seconds = last.seconds;
    return parts;
  }

  Prediction& prediction_;
  const Model& model_;
  const HypercubeModel& parts_;
  const Network& network_;
  int ranks_;
  const RehearsedRun* rehearsed_;
  bool is_silent_;
  std::vector<Clock> clocks_;
  std::vector<Spent> spent_;
  std::set<int> others_;  ///< numbers of ranks whose l and g were taken for these
  std::map<std::pair<Block, NamedValues>, double> medians_;
  std::map<Spot, Slowest> slowest_at_;
  std::map<std::pair<Spot, Step::What>, double> maxima_;
  std::map<int, double> half_width_of_messages_;  ///< by level, between hosts
};

}  // namespace

const std::pair<const int, Estimate>* RehearsedRun::find(detail::Block block, int level,
                                                         int rank) const {
  const auto found = blocks.find({block, level});
  if (found == blocks.end()) {
    return nullptr;
  }
  const auto after = found->second.upper_bound(rank);
  return &*(after == found->second.begin() ? after : std::prev(after));
}

Parts play(Prediction& prediction, const Model& model, const Network& network, bool is_silent,
           const RehearsedRun* rehearsed) {
  if (prediction.ranks > kMostPlayedRanks) {
    throw Error(fmt::format("calls on the hypercube are predicted for at most {}, not {}",
                            detail::format_ranks(kMostPlayedRanks), prediction.ranks));
  }
  return Player(prediction, model, network, is_silent, rehearsed).play();
}

}  // namespace cleave::models
