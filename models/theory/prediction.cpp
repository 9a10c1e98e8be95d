// SPDX-License-Identifier: Apache-2.0
#include "models/theory/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <cleave/trace/median.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/memory.hpp"
#include "models/theory/player.hpp"
#include "models/theory/search_time.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// A question once it was checked.
struct Question {
  const Model& model;
  Network network;
  int ranks = 1;
  int ranks_per_host = 1;
  int threads = 1;
  NamedSizes sizes;

  double nodes() const { return static_cast<double>(sizes.at("nodes")); }
};

void check_sizes(const Model& model, const NamedSizes& sizes) {
  const std::vector<std::string> needed = model.size_names();
  for (const auto& [name, value] : sizes) {
    const bool is_known = std::ranges::find(needed, name) != needed.end() ||
                          std::ranges::any_of(model.fitted, [&](const RunOfModel& run) {
                            return run.sizes.contains(name);
                          });
    if (!is_known) {
      throw UsageError(
          fmt::format("size {} is not one of this model's: {}", name, fmt::join(needed, ", ")));
    }
    if (value < 1) {
      throw UsageError(fmt::format("size {} must be at least 1, not {}", name, value));
    }
  }
  for (const std::string& name : needed) {
    if (!sizes.contains(name)) {
      throw UsageError(fmt::format("size {} is missing: this model's sizes are {}", name,
                                   fmt::join(needed, ", ")));
    }
  }
}

Question checked(const Model& model, int ranks, const NamedSizes& sizes,
                 const PredictOptions& options) {
  if (ranks < 1) {
    throw UsageError(fmt::format("ranks must be at least 1, not {}", ranks));
  }
  if (options.threads && model.search() == nullptr) {
    throw UsageError(fmt::format("threads are for work_stealing, the model is of {}", model.type));
  }
  if (options.threads.value_or(1) < 1) {
    throw UsageError(fmt::format("threads must be at least 1, not {}", *options.threads));
  }
  check_sizes(model, sizes);
  return {.model = model,
          .network = options.network ? *options.network : model.network,
          .ranks = ranks,
          .ranks_per_host =
              std::min(ranks, options.ranks_per_host.value_or(model.usual_ranks_per_host(ranks))),
          .threads = options.threads.value_or(model.threads),
          .sizes = sizes};
}

/// The random numbers of a prediction: the same every time that it is asked for.
constexpr std::uint64_t kSeed = 1;

std::vector<double> draws_of(const Question& question) {
  // Many ranks cost time, and their slowest varies less. A page answers while its reader waits.
  constexpr int kRanksAndDraws = 1 << 13;
  constexpr int kFewestDraws = 16;
  const auto count = static_cast<std::size_t>(
      std::clamp(kRanksAndDraws / question.ranks, kFewestDraws, static_cast<int>(kReplicates)));
  std::mt19937_64 random(kSeed);
  std::vector<double> draws;
  if (question.model.search() != nullptr) {
    const SearchTime time(question.model, question.network, question.ranks, question.ranks_per_host,
                          question.threads, question.nodes());
    for (std::size_t i = 0; i < kReplicates; ++i) {
      draws.push_back(time.draw(i, random));
    }
    return draws;
  }
  Player player(question.model, question.network, question.ranks, question.ranks_per_host,
                question.sizes);
  for (std::size_t i = 0; i < count; ++i) {
    draws.push_back(player.draw(i, random));
  }
  return draws;
}

void scale_shares(Prediction& prediction) {
  double sum = 0;
  for (const BlockShare& share : prediction.shares) {
    sum += share.seconds;
  }
  for (BlockShare& share : prediction.shares) {
    share.seconds *= sum > 0 ? prediction.seconds / sum : 0;
  }
}

/// Sets the parts of the time, and what they rest on.
void explain(Prediction& prediction, const Question& question) {
  const Model& model = question.model;
  if (model.search() != nullptr) {
    const SearchParts parts =
        SearchTime(model, question.network, question.ranks, question.ranks_per_host,
                   question.threads, question.nodes())
            .parts();
    prediction.shares = {{detail::Block::sequential, 0, parts.search_s, "search"},
                         {detail::Block::steal, 0, parts.steal_s, "steal"},
                         {detail::Block::skeleton, 0, parts.start_up_s, "start_up"},
                         {detail::Block::idle, 0, parts.termination_s, "termination"}};
    if (question.threads > model.search()->threads) {
      prediction.outside_fitted_range = true;
      prediction.remarks.push_back(
          "more threads than were measured: that steals grow with log2 of them is assumed");
    }
    if (question.ranks > model.max_ranks()) {
      prediction.remarks.push_back(
          "more ranks than were measured: that steals grow with log2 of them is assumed");
    }
  } else {
    const Player::Typical typical =
        Player(model, question.network, question.ranks, question.ranks_per_host, question.sizes)
            .typical();
    prediction.shares = typical.shares;
    prediction.sum_of_maxima_s = typical.sum_of_maxima_s;
    prediction.outside_fitted_range = typical.is_outside_fitted_range;
    prediction.remarks = typical.remarks;
  }
  if (question.ranks > model.max_ranks() || model.doublings_outside(question.sizes) > 0.07) {
    prediction.outside_fitted_range = true;
  }
  scale_shares(prediction);
}

std::optional<std::int64_t> cache_left(const Model& model, const Question& question) {
  double max_fitted = 0;
  for (const RunOfModel& run : model.fitted) {
    max_fitted = std::max(max_fitted, data_bytes(*model.memory, run.ranks, run.sizes));
  }
  const double data = data_bytes(*model.memory, question.ranks, question.sizes);
  std::optional<std::int64_t> left;
  for (const std::int64_t cache : model.cache_bytes) {
    const auto bytes = static_cast<double>(cache);
    if (max_fitted <= bytes && bytes < data) {
      left = std::max(cache, left.value_or(cache));
    }
  }
  return left;
}

/// Whether the fitted runs had so many ranks on a host.
bool was_measured(const Model& model, int ranks_per_host) {
  return std::ranges::any_of(
      model.fitted, [&](const RunOfModel& run) { return run.ranks_per_host == ranks_per_host; });
}

// What is added to an interval for what no run showed, relative: for each doubling of sizes beyond
// the fitted ones, for data that leaves a cache, for other numbers of ranks on a host.
// docs/explanation/model.md, "Interval".
constexpr double kBeyondSizes = 0.04;
constexpr double kBeyondCache = 0.15;
constexpr double kOtherRanksPerHost = 0.15;

double square(double value) { return value * value; }

/// The square of what an interval is widened by.
double added_squares(const Prediction& prediction, const Question& question) {
  const Model& model = question.model;
  const double of_sizes = model.doublings_outside(question.sizes);
  const double of_ranks =
      std::max(0.0, std::log2(static_cast<double>(question.ranks) / model.max_ranks()));
  double added =
      square(model.calibration.error) * (1 + of_sizes + of_ranks) + square(kBeyondSizes * of_sizes);
  if (prediction.cache_left_bytes) {
    added += square(kBeyondCache);
  }
  if (!was_measured(model, question.ranks_per_host)) {
    const double apart = std::abs(
        std::log2(static_cast<double>(question.ranks_per_host) / model.max_ranks_per_host()));
    added += square(kOtherRanksPerHost) * std::max(1.0, apart);
  }
  return added;
}

/// The interval of the draws, and what held-out runs and what was never seen add to it.
void set_interval(Prediction& prediction, const Question& question,
                  const std::vector<double>& draws) {
  const double added =
      question.model.mechanisms.calibration ? added_squares(prediction, question) : 0;
  const auto half_width = [&](double part) {
    return std::sqrt(square(std::log(quantile(draws, part) / prediction.seconds)) + added);
  };
  prediction.low = prediction.seconds * std::exp(-half_width(0.025));
  prediction.high = prediction.seconds * std::exp(half_width(0.975));
  if (!was_measured(question.model, question.ranks_per_host)) {
    prediction.remarks.push_back(fmt::format(
        "{} on a host: not measured, its blocks are as with {}",
        detail::format_ranks(question.ranks_per_host), question.model.max_ranks_per_host()));
  }
}

Prediction answer(const Question& question) {
  const std::vector<double> draws = draws_of(question);
  Prediction prediction{.ranks = question.ranks,
                        .threads = question.threads,
                        .ranks_per_host = question.ranks_per_host,
                        .sizes = question.sizes,
                        .seconds = detail::median(draws)};
  const auto refuse_unless = [&](bool is_sensible, double number) {
    if (!is_sensible) {
      throw Error(fmt::format("no time can be predicted for {} and {}: the model's numbers give {}",
                              format_sizes(question.sizes), detail::format_ranks(question.ranks),
                              number));
    }
  };
  refuse_unless(std::isfinite(prediction.seconds) && prediction.seconds > 0, prediction.seconds);
  if (question.ranks > question.ranks_per_host) {
    prediction.assumed_network = question.network.assumed;
  }
  if (question.model.memory) {
    prediction.memory_bytes = memory_bytes(*question.model.memory, question.ranks, question.sizes);
    prediction.cache_left_bytes = cache_left(question.model, question);
  }
  explain(prediction, question);
  if (!prediction.assumed_network.empty()) {
    prediction.remarks.push_back(
        fmt::format("l and g between hosts are assumed: {}; calibrate the real network for a "
                    "narrower interval",
                    prediction.assumed_network));
  }
  set_interval(prediction, question, draws);
  refuse_unless(std::isfinite(prediction.low) && std::isfinite(prediction.high), prediction.high);
  return prediction;
}

PredictOptions as_run(const Model& model, const RunPoint& run, PredictOptions options) {
  options.ranks_per_host = run.ranks_per_host;
  if (model.search() != nullptr) {
    options.threads = run.threads;
  }
  return options;
}

}  // namespace

Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options) {
  return answer(checked(model, ranks, sizes, options));
}

Prediction predict(const Model& model, const RunPoint& run, PredictOptions options) {
  return predict(model, run.ranks, run.sizes, as_run(model, run, std::move(options)));
}

std::vector<double> draws_of(const Model& model, const RunPoint& run) {
  return draws_of(checked(model, run.ranks, run.sizes, as_run(model, run, {})));
}

}  // namespace cleave::models
