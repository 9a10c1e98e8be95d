#include "models/omega.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr double kRangeSlack = 0.05;

/// 97.5 % of a t distribution lies below this; infinite freedom is the normal distribution.
double two_sided_95(double degrees_of_freedom) {
  if (!std::isfinite(degrees_of_freedom) || degrees_of_freedom > 1e6) {
    return boost::math::quantile(boost::math::normal(), 0.975);
  }
  return boost::math::quantile(boost::math::students_t(std::max(1.0, degrees_of_freedom)), 0.975);
}

/// What the levels of one call take from one block's fit, so that their common error is counted
/// once.
struct Use {
  const BlockModel* model = nullptr;
  Eigen::VectorXd row_sum;
  double noise_squares = 0;  ///< sum over levels of the variance of one measurement, over s^2

  double variance() const {
    const LinearFit& fit = model->fit.fit;
    return row_sum.dot(fit.covariance * row_sum) +
           fit.residual_deviation * fit.residual_deviation * noise_squares;
  }
};

class Omega {
 public:
  Omega(const Model& model, int ranks, const NamedSizes& sizes, const PredictOptions& options)
      : model_(model),
        gaps_(options.latency_gaps.value_or(model.latency_gaps)),
        ranks_per_host_(
            options.ranks_per_host.value_or(std::min(ranks, model.most_ranks_per_host()))) {
    result_.ranks = ranks;
    result_.sizes = sizes;
    result_.outside_fitted_range = ranks > model.most_ranks();
  }

  Prediction predict() && {
    int level = 0;
    for (int group = result_.ranks; group > 1; group = (group + 1) / 2, ++level) {
      add_inner_level(group, level);
    }
    for (const Block block : model_.leaf_blocks) {
      add_block(block, sizes_at(block, 1, level), level);
    }
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
    for (const Shrinkage& shrinkage : model_.shrinkage) {
      const auto run_size = result_.sizes.find(shrinkage.size);
      if (shrinkage.block == block && run_size != result_.sizes.end()) {
        sizes[shrinkage.size] = shrinkage(static_cast<double>(run_size->second),
                                          static_cast<double>(group) / result_.ranks, level);
      }
    }
    return sizes;
  }

  void add_block(Block block, const NamedValues& sizes, int level) {
    const BlockModel& fitted = block_model(block);
    check_range(fitted.fit, sizes);
    const Eigen::VectorXd row = fitted.slowest_rank * fitted.fit.row(sizes);
    const double seconds = row.dot(fitted.fit.fit.coefficients);
    auto use = std::find_if(uses_.begin(), uses_.end(),
                            [&](const Use& known) { return known.model == &fitted; });
    if (use == uses_.end()) {
      uses_.push_back({&fitted, Eigen::VectorXd::Zero(row.size()), 0});
      use = std::prev(uses_.end());
    }
    use->row_sum += row;
    use->noise_squares += fitted.fit.fit.weights == Weights::relative ? seconds * seconds : 1;
    add_share(block, level, seconds);
  }

  /// Equation 9. In a group of odd size of replicated data one rank also sends its solution on to
  /// the rank that has no partner: half an exchange more. Returns the bytes moved.
  double add_exchange(int group, int level) {
    if (model_.exchange.empty()) {
      throw Error("exchanges cannot be predicted: " + reason_of(Block::exchange));
    }
    const ExchangeModel& exchange = model_.exchange.front();
    const NamedValues sizes = sizes_at(Block::exchange, group, level);
    check_range(exchange.bytes, sizes);
    const double bytes = exchange.bytes(sizes);
    const bool sends_on = model_.placement == "replicated" && group % 2 == 1;
    const double messages = exchange.messages + (sends_on ? 0.5 : 0);
    const auto [entry, remark] = choose_latency_gap(gaps_, result_.ranks, level);
    if (remark) {
      add_remark(*remark);
    }
    const double unit = entry.latency_s + bytes * entry.gap_s_per_byte;
    add_share(Block::exchange, level, messages * exchange.factor * unit);
    // The levels share l, g and the factor, so their errors add up rather than cancel.
    exchange_deviation_ +=
        messages * std::hypot(exchange.factor * entry.latency_error_s,
                              exchange.factor * bytes * entry.gap_error_s_per_byte,
                              exchange.factor_error * unit);
    return messages * bytes;
  }

  const BlockModel& block_model(Block block) {
    const BlockModel* best = nullptr;
    for (const BlockModel& candidate : model_.blocks) {
      if (candidate.block != block) {
        continue;
      }
      if (candidate.ranks_per_host == ranks_per_host_) {
        return candidate;
      }
      if (best == nullptr || candidate.ranks_per_host > best->ranks_per_host) {
        best = &candidate;
      }
    }
    if (best == nullptr) {
      throw Error(fmt::format("{} cannot be predicted: {}", name_of(block), reason_of(block)));
    }
    add_remark(fmt::format("{} is as with {} ranks per host; {} were not measured", name_of(block),
                           best->ranks_per_host, ranks_per_host_));
    return *best;
  }

  std::string reason_of(Block block) const {
    for (const RefusedBlock& refused : model_.refused) {
      if (refused.block == block) {
        return refused.reason;
      }
    }
    return "the traces show none";
  }

  void check_range(const BlockFit& fit, const NamedValues& sizes) {
    for (const auto& [name, value] : sizes) {
      const auto range = fit.fitted_range.find(name);
      if (range == fit.fitted_range.end() || value < range->second.first * (1 - kRangeSlack) ||
          value > range->second.second * (1 + kRangeSlack)) {
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

  /// Block variances add up; degrees of freedom by Welch and Satterthwaite.
  void add_interval() {
    double variance = exchange_deviation_ * exchange_deviation_;
    double welch = 0;
    for (const Use& use : uses_) {
      const double of_block = use.variance();
      variance += of_block;
      welch += of_block * of_block / use.model->fit.fit.degrees_of_freedom;
    }
    const double freedom =
        welch > 0 ? variance * variance / welch : std::numeric_limits<double>::infinity();
    const double half = two_sided_95(freedom) * std::sqrt(variance);
    result_.low = std::max(0.0, result_.seconds - half);
    result_.high = result_.seconds + half;
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

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
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
  return Omega(model, ranks, sizes, options).predict();
}

}  // namespace cleave
