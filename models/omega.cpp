// SPDX-License-Identifier: Apache-2.0
#include "models/omega.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/files.hpp"
#include "models/interval.hpp"

namespace cleave::models {

namespace {

constexpr double kRangeSlack = 0.05;

/// What the levels of one call take from one fit, so that their common error is counted once.
struct Use {
  const BlockFit* fit = nullptr;
  Eigen::VectorXd row_sum;
  double noise_squares = 0;  ///< sum over levels of the variance of one measurement, over s^2

  Variance noise() const {
    const double deviation = fit->fit.residual_deviation;
    return {deviation * deviation * noise_squares,
            static_cast<double>(fit->fit.degrees_of_freedom)};
  }
  Variance of_coefficients() const {
    return {row_sum.dot(fit->fit.covariance * row_sum),
            static_cast<double>(fit->fit.coefficient_freedom)};
  }
};

class Omega {
 public:
  Omega(const Model& model, int ranks, const NamedSizes& sizes, const PredictOptions& options)
      : model_(model),
        gaps_(options.latency_gaps.value_or(model.latency_gaps)),
        ranks_per_host_(
            options.ranks_per_host.value_or(std::min(ranks, model.max_ranks_per_host()))) {
    result_.ranks = ranks;
    result_.threads = model.threads;
    result_.sizes = sizes;
    result_.outside_fitted_range = ranks > model.max_ranks();
  }

  Prediction predict() && {
    int level = 0;
    for (int group = result_.ranks; group > 1; group = (group + 1) / 2, ++level) {
      add_inner_level(group, level);
    }
    for (const Block block : model_.leaf_blocks) {
      add_block(block, sizes_at(block, 1, level), level);
    }
    add_agreement();
    add_interval();
    return std::move(result_);
  }

 private:
  void add_inner_level(int group, int level) {
    double moved_bytes = 0;
    for (const Block block : model_.inner_blocks) {
      if (block == Block::exchange) {
        moved_bytes = add_exchange(group, level);
      }
    }
    for (const Block block : model_.inner_blocks) {
      if (block == Block::skeleton) {
        add_block(block, {{"bytes", moved_bytes}}, level);
      } else if (block != Block::exchange) {
        add_block(block, sizes_at(block, group, level), level);
      }
    }
  }

  /// The largest sizes of `block` over the ranks at `level`, where groups have `group` ranks.
  NamedValues sizes_at(Block block, int group, int level) const {
    NamedValues sizes;
    for (const Scaling& scaling : model_.scaling) {
      const auto run_size = result_.sizes.find(scaling.size);
      if (scaling.block == block && run_size != result_.sizes.end()) {
        sizes[scaling.size] = scaling(static_cast<double>(run_size->second),
                                      static_cast<double>(group) / result_.ranks, level);
        const auto part = part_of(block, static_cast<double>(run_size->second), result_.ranks);
        if (splits_parts() && part) {
          sizes[scaling.size] = *part;
        }
      }
    }
    const auto elements = sizes.find("N");
    const bool is_sampling = block == Block::sample || block == Block::pivot;
    if (is_sampling && splits_parts() && elements != sizes.end()) {
      const int parts = block == Block::sample ? group : 1;
      sizes.merge(sampling_sizes(block, entry_at(group, level), group, elements->second * parts,
                                 model_.exchange.front().splitter_bytes));
    }
    return sizes;
  }

  bool splits_parts() const {
    return !model_.exchange.empty() && model_.exchange.front().splitter_bytes > 0;
  }

  Communication entry_at(int group, int level) const {
    return choose_latency_gap(gaps_, result_.ranks, level, group > ranks_per_host_).entry;
  }

  void add_block(Block block, const NamedValues& sizes, int level) {
    const BlockModel& model = block_model(block);
    check_range(model.fit, sizes);
    const BlockFit& fit = model.fit.at(sizes);
    const Eigen::VectorXd row = model.slowest_rank * fit.row(sizes);
    const double seconds = row.dot(fit.fit.coefficients);
    auto use =
        std::find_if(uses_.begin(), uses_.end(), [&](const Use& u) { return u.fit == &fit; });
    if (use == uses_.end()) {
      uses_.push_back({&fit, Eigen::VectorXd::Zero(row.size()), 0});
      use = std::prev(uses_.end());
    }
    use->row_sum += row;
    use->noise_squares += fit.fit.weights == Weights::relative ? seconds * seconds : 1;
    add_share(block, level, seconds);
  }

  /// Equation 9. In a group of odd size of replicated data one rank also sends its solution on to
  /// the rank that has no partner: half an exchange more. Returns the bytes moved.
  double add_exchange(int group, int level) {
    if (model_.exchange.empty()) {
      throw Error("exchanges cannot be predicted: " + model_.reason_of(Block::exchange));
    }
    const ExchangeModel& exchange = model_.exchange.front();
    const NamedValues sizes = sizes_at(Block::exchange, group, level);
    check_range(exchange.bytes, sizes);
    const double bytes = exchange.bytes(sizes);
    const bool sends_on = model_.placement == "replicated" && group % 2 == 1;
    const double messages = exchange.messages + (sends_on ? 0.5 : 0);
    const auto [entry, remark] =
        choose_latency_gap(gaps_, result_.ranks, level, group > ranks_per_host_);
    if (remark) {
      add_remark(*remark);
    }
    const double unit = entry.unit_seconds(bytes);
    const MessageSegment segment = entry.segment_of(bytes);
    add_share(Block::exchange, level, messages * exchange.factor * unit);
    // The levels share l, g and the factor, so their errors add up rather than cancel.
    exchange_deviation_ +=
        messages * std::hypot(exchange.factor * segment.latency_error_s,
                              exchange.factor * bytes * segment.gap_error_s_per_byte,
                              exchange.factor_error * unit);
    if (exchange.has_headers) {
      add_share(Block::wait, level, messages * header_seconds(entry, bytes));
    }
    if (splits_parts()) {
      const double of_parts = level == 0 ? all_gather_seconds(entry, group, kPartBytes) : 0;
      add_share(Block::wait, level,
                of_parts + all_gather_seconds(entry, group, kStatusBytes) +
                    all_gather_seconds(entry, group, kReportBytes));
    }
    return messages * bytes;
  }

  /// All ranks agree at the start on the call, and at the end on whether one has failed.
  void add_agreement() {
    if (result_.ranks > 1 && !model_.exchange.empty() &&
        model_.exchange.front().agreement_factor > 0) {
      add_share(Block::wait, 0,
                model_.exchange.front().agreement_factor *
                    agreement_seconds(entry_at(result_.ranks, 0), result_.ranks));
    }
  }

  const BlockModel& block_model(Block block) {
    const BlockModel& model = model_.block_model(block, ranks_per_host_);
    if (model.ranks_per_host != ranks_per_host_) {
      add_remark(fmt::format("{} is as with {} ranks per host; {} were not measured",
                             name_of(block), model.ranks_per_host, ranks_per_host_));
    }
    return model;
  }

  /// Inside is what lies between the least and the most of some segments, a ratio of sizes, too.
  void check_range(const SegmentedFit& fit, NamedValues sizes) {
    if (const std::string ratio = ratio_in(sizes);
        !ratio.empty() && fit.segments.front().fitted_range.contains(ratio)) {
      sizes[ratio] = quantity_of(ratio, sizes);
    }
    for (const auto& [name, value] : sizes) {
      double minimum = std::numeric_limits<double>::infinity();
      double maximum = 0;
      for (const BlockFit& segment : fit.segments) {
        if (const auto range = segment.fitted_range.find(name);
            range != segment.fitted_range.end()) {
          minimum = std::min(minimum, range->second.first);
          maximum = std::max(maximum, range->second.second);
        }
      }
      if (value < minimum * (1 - kRangeSlack) || value > maximum * (1 + kRangeSlack)) {
        result_.outside_fitted_range = true;
      }
    }
  }

  void add_share(Block block, int level, double seconds) {
    result_.shares.push_back({block, level, seconds});
    result_.seconds += seconds;
  }

  void add_remark(std::string remark) {
    auto& remarks = result_.remarks;
    if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
      remarks.push_back(std::move(remark));
    }
  }

  void add_interval() {
    std::vector<Variance> parts = {
        {exchange_deviation_ * exchange_deviation_, std::numeric_limits<double>::infinity()}};
    for (const Use& use : uses_) {
      parts.push_back(use.noise());
      parts.push_back(use.of_coefficients());
    }
    set_interval(result_, model_, std::move(parts));
  }

  const Model& model_;
  LatencyGaps gaps_;
  int ranks_per_host_;
  Prediction result_;
  std::vector<Use> uses_;
  double exchange_deviation_ = 0;
};

void check_sizes(const Model& model, const NamedSizes& sizes) {
  const std::vector<std::string> needed = model.size_names();
  for (const std::string& name : needed) {
    if (!sizes.contains(name)) {
      throw UsageError(fmt::format("size {} is missing: this model's sizes are {}", name,
                                   fmt::join(needed, ", ")));
    }
  }
  for (const auto& [name, value] : sizes) {
    const bool is_known =
        std::find(needed.begin(), needed.end(), name) != needed.end() ||
        std::any_of(model.fitted.begin(), model.fitted.end(),
                    [&](const RunOfModel& run) { return run.sizes.contains(name); });
    if (!is_known) {
      throw UsageError(
          fmt::format("size {} is not one of this model's: {}", name, fmt::join(needed, ", ")));
    }
    if (value < 1) {
      throw UsageError(fmt::format("size {} must be at least 1, not {}", name, value));
    }
  }
}

}  // namespace

void set_interval(Prediction& prediction, const Model& model, std::vector<Variance> parts) {
  const double known = sum_of(parts).value;
  parts.push_back(
      {model.run_variance(model.sum_of_maxima, prediction.ranks, prediction.seconds, known),
       std::numeric_limits<double>::infinity()});
  const Interval interval = interval_95(prediction.seconds, sum_of(parts));
  prediction.low = interval.low;
  prediction.high = interval.high;
}

void check_request(const Model& model, int ranks, const NamedSizes& sizes) {
  if (ranks < 1) {
    throw UsageError(fmt::format("ranks must be at least 1, not {}", ranks));
  }
  check_sizes(model, sizes);
  if (model.leaf_blocks.empty()) {
    throw Error("the model has no block that solves a subproblem, so it predicts nothing");
  }
  if (ranks > 1 && model.inner_blocks.empty()) {
    throw Error("the model was fitted to runs on one rank only: it predicts no more ranks");
  }
}

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
  check_request(model, ranks, sizes);
  return Omega(model, ranks, sizes, options).predict();
}

}  // namespace cleave::models
