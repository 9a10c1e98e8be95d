// SPDX-License-Identifier: Apache-2.0
#include "models/critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "models/interval.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

constexpr int kDraws = 128;

/// Ranks [first, first + count) that share a subproblem, `fraction` of the whole one.
struct GroupOfRanks {
  int first = 0;
  int count = 1;
  double fraction = 1;
  int level = 0;
};

class Timeline {
 public:
  Timeline(const Model& model, int ranks, const NamedSizes& sizes, const PredictOptions& options)
      : model_(model),
        gaps_(options.latency_gaps ? *options.latency_gaps : model.latency_gaps),
        ranks_(ranks),
        ranks_per_host_(
            options.ranks_per_host.value_or(std::min(ranks, model.max_ranks_per_host()))),
        sizes_(sizes),
        rooted_(model.placement == "rooted"),
        splits_(!model.exchange.empty() && model.exchange.front().splitter_bytes > 0) {
    for (const Scaling& s : model.scaling) {
      split_deviation_ = std::max(split_deviation_, s.split_deviation);
    }
  }

  /// The time of the last rank in one draw.
  double play() {
    clocks_.assign(static_cast<std::size_t>(ranks_), 0);
    shared_errors_.clear();
    exchange_error_ = normal_(random_);
    solve({.first = 0, .count = ranks_});
    return *std::max_element(clocks_.begin(), clocks_.end()) + agreement();
  }

 private:
  void solve(const GroupOfRanks& group) {
    if (group.count == 1) {
      for (const Block block : model_.leaf_blocks) {
        spend(block, sizes_at(block, group.fraction, group.level), group);
      }
      return;
    }
    for (const Block block : model_.inner_blocks) {
      if (block == Block::divide) {
        spend(block, sizes_at(block, group.fraction, group.level), active_ranks(group));
      }
    }
    if (splits_) {
      split(group);
    }
    const auto [left, right] = halves_of(group);
    if (rooted_) {
      exchange(left.first, right.first, right, 1);
    }
    solve(left);
    solve(right);
    if (splits_) {
      return;
    }
    if (rooted_) {
      exchange(left.first, right.first, right, 1);
    } else {
      const GroupOfRanks& larger =
          left.fraction * right.count > right.fraction * left.count ? left : right;
      for (int i = 0; i < left.count; ++i) {
        exchange(left.first + i, right.first + i, larger, 1);
      }
      if (right.count > left.count) {
        exchange(right.first, right.first + right.count - 1, left, 0.5);
      }
    }
    for (const Block block : model_.inner_blocks) {
      if (block != Block::divide && block != Block::exchange && block != Block::skeleton) {
        spend(block, sizes_at(block, group.fraction, group.level), active_ranks(group));
      }
    }
  }

  /// The way down of the sorting form: the group chooses a splitter, partitions and exchanges.
  void split(const GroupOfRanks& group) {
    const Communication& entry = latency_gap(group.level, group.count > ranks_per_host_);
    if (group.level == 0) {
      meet(group, all_gather_seconds(entry, group.count, kPartBytes));
    }
    spend(Block::sample, sizes_of_split(Block::sample, entry, group), group);
    meet(group, all_gather_seconds(entry, group.count, kStatusBytes));
    meet(group, drawn_seconds(Block::pivot, sizes_of_split(Block::pivot, entry, group)));
    spend(Block::partition, sizes_at(Block::partition, group.fraction, group.level), group);
    meet(group, all_gather_seconds(entry, group.count, kReportBytes));
    const int half = group.count / 2;
    for (int i = 0; i < half; ++i) {
      exchange(group.first + i, group.first + i + half,
               {.first = group.first,
                .count = half,
                .fraction = group.fraction / 2,
                .level = group.level + 1},
               1);
    }
  }

  const Communication& latency_gap(int level, bool leaves_host) {
    std::optional<Communication>& entry = chosen_[{level, leaves_host}];
    if (!entry) {
      entry = choose_latency_gap(gaps_, ranks_, level, leaves_host).entry;
    }
    return *entry;
  }

  NamedValues sizes_of_split(Block block, const Communication& entry, const GroupOfRanks& group) {
    NamedValues sizes = sizes_at(block, group.fraction, group.level);
    if (const auto elements = sizes.find("N"); elements != sizes.end()) {
      const int parts = block == Block::sample ? group.count : 1;
      sizes.merge(sampling_sizes(block, entry, group.count, elements->second * parts,
                                 model_.exchange.front().splitter_bytes));
    }
    return sizes;
  }

  /// All ranks of the group go on together, `seconds` after the last of them is there.
  void meet(const GroupOfRanks& group, double seconds) {
    const auto first = clocks_.begin() + group.first;
    const auto end = first + group.count;
    std::fill(first, end, *std::max_element(first, end) + seconds);
  }

  /// All ranks agree at the start on the call, and at the end on whether one has failed.
  double agreement() {
    if (ranks_ == 1 || model_.exchange.empty()) {
      return 0;
    }
    const Communication& entry = latency_gap(0, ranks_ > ranks_per_host_);
    return model_.exchange.front().agreement_factor * agreement_seconds(entry, ranks_);
  }

  /// All ranks of the group work on replicated data, the first alone on rooted.
  GroupOfRanks active_ranks(GroupOfRanks group) const {
    group.count = rooted_ ? 1 : group.count;
    return group;
  }

  std::pair<GroupOfRanks, GroupOfRanks> halves_of(const GroupOfRanks& group) {
    const int left = group.count / 2;
    const double tilt = split_deviation_ > 0 ? std::exp(split_deviation_ * normal_(random_)) : 1;
    const double left_weight = left * tilt;
    const double right_weight = (group.count - left) / tilt;
    const double share = left_weight / (left_weight + right_weight);
    return {
        {group.first, left, group.fraction * share, group.level + 1},
        {group.first + left, group.count - left, group.fraction * (1 - share), group.level + 1}};
  }

  /// Sizes of a block in a group that has `fraction` of the problem.
  NamedValues sizes_at(Block block, double fraction, int level) const {
    NamedValues sizes;
    for (const Scaling& s : model_.scaling) {
      const auto run_size = sizes_.find(s.size);
      if (s.block == block && run_size != sizes_.end()) {
        const double balanced = s.of_fraction(static_cast<double>(run_size->second), fraction);
        // Unevenness that does not come from the splits drawn here, as of sizes that do not halve.
        const bool is_drawn = s.split_deviation > 0;
        sizes[s.size] = is_drawn ? balanced : balanced * s.unevenness(level);
        const auto part = part_of(block, static_cast<double>(run_size->second), ranks_);
        if (splits_ && part) {
          sizes[s.size] = *part;
        }
      }
    }
    return sizes;
  }

  void spend(Block block, const NamedValues& sizes, const GroupOfRanks& ranks) {
    const BlockModel& model = model_.block_model(block, ranks_per_host_);
    const double seconds = drawn_seconds(block, sizes);
    for (int rank = ranks.first; rank < ranks.first + ranks.count; ++rank) {
      clocks_[static_cast<std::size_t>(rank)] +=
          std::max(0.0, seconds * noise(model) + draw_os_noise(model_.os_noise, seconds, random_));
    }
  }

  double drawn_seconds(Block block, const NamedValues& sizes) {
    const BlockModel& model = model_.block_model(block, ranks_per_host_);
    const BlockFit& fit = model.fit.at(sizes);
    return std::max(0.0, fit(sizes)) * shared_factor(model, fit, sizes);
  }

  /// A whole exchange (`part` 1) or one message without an answer, then the skeleton's own work.
  void exchange(int a, int b, const GroupOfRanks& moved, double part) {
    const ExchangeModel& model = model_.exchange.front();
    const int level = moved.level - 1;
    // Traces give what is moved by the group that moves it, twice a half's share.
    const NamedValues sizes = sizes_at(Block::exchange, 2 * moved.fraction, level);
    const double bytes = std::max(0.0, model.bytes(sizes));
    const Communication& entry = latency_gap(level, moved.count * 2 > ranks_per_host_);
    const MessageSegment segment = entry.segment_of(bytes);
    const double unit = entry.unit_seconds(bytes);
    const double unit_error =
        std::hypot(segment.latency_error_s, bytes * segment.gap_error_s_per_byte);
    const double error = unit > 0 && model.factor > 0
                             ? std::hypot(unit_error / unit, model.factor_error / model.factor)
                             : 0;
    double seconds = part * model.factor * unit * std::max(0.0, 1 + error * exchange_error_);
    if (model.has_headers) {
      seconds += header_seconds(entry, bytes);
    }
    double& clock_a = clocks_[static_cast<std::size_t>(a)];
    double& clock_b = clocks_[static_cast<std::size_t>(b)];
    clock_a = clock_b = std::max(clock_a, clock_b) + seconds;
    if (has(Block::skeleton)) {
      for (const int rank : {a, b}) {
        spend(Block::skeleton, {{"bytes", bytes}}, {.first = rank, .level = level});
      }
    }
  }

  bool has(Block block) const {
    return std::find(model_.inner_blocks.begin(), model_.inner_blocks.end(), block) !=
           model_.inner_blocks.end();
  }

  double noise(const BlockModel& model) {
    return model.noise.empty() ? 1 : model.noise[uniform_(random_) * model.noise.size() >> 32];
  }

  /// What a fit is wrong by in this draw, at every level alike: what is left of its residuals
  /// without the noise of repetitions, and the error of its coefficients.
  double shared_factor(const BlockModel& model, const BlockFit& fit, const NamedValues& sizes) {
    const auto [drawn, is_new] = shared_errors_.try_emplace(&fit, 0);
    if (is_new) {
      drawn->second = normal_(random_);
    }
    const Eigen::VectorXd row = fit.row(sizes);
    const double value = row.dot(fit.fit.coefficients);
    if (value <= 0) {
      return 1;
    }
    const double of_coefficients = row.dot(fit.fit.covariance * row) / (value * value);
    const double residual = fit.fit.weights == Weights::relative
                                ? fit.fit.residual_deviation
                                : fit.fit.residual_deviation / value;
    const double lack_of_fit = std::max(
        0.0, residual * residual - model.repetition_deviation * model.repetition_deviation);
    return std::max(0.05, 1 + std::sqrt(of_coefficients + lack_of_fit) * drawn->second);
  }

  const Model& model_;
  const LatencyGaps& gaps_;
  int ranks_;
  int ranks_per_host_;
  const NamedSizes& sizes_;
  bool rooted_;
  bool splits_;  ///< the sorting form, whose exchanges are on the way down
  double split_deviation_ = 0;
  std::mt19937_64 random_{1};  // the same prediction every time it is asked for
  std::normal_distribution<double> normal_;
  std::uniform_int_distribution<std::uint64_t> uniform_{0, (std::uint64_t{1} << 32) - 1};
  std::map<std::pair<int, bool>, std::optional<Communication>> chosen_;  ///< by level, leaves host
  std::vector<double> clocks_;
  std::map<const BlockFit*, double> shared_errors_;
  double exchange_error_ = 0;
};

}  // namespace

std::optional<PathPrediction> predict_critical_path(const Model& model, int ranks,
                                                    const NamedSizes& sizes,
                                                    const PredictOptions& options) {
  if (model.type != "hypercube") {
    return std::nullopt;
  }
  check_request(model, ranks, sizes);
  Timeline timeline(model, ranks, sizes, options);
  std::vector<double> draws;
  for (int i = 0; i < kDraws; ++i) {
    draws.push_back(timeline.play());
  }
  const double middle = median(draws);
  const double deviation = middle * relative_spread(draws);
  const double variance = deviation * deviation;
  const Interval interval = interval_95(
      middle, {variance + model.run_variance(model.critical_path, ranks, middle, variance),
               std::numeric_limits<double>::infinity()});
  return PathPrediction{middle, interval.low, interval.high};
}

}  // namespace cleave::models
