// SPDX-License-Identifier: Apache-2.0
#include "models/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/files.hpp"
#include "models/memory.hpp"
#include "models/stealing.hpp"

namespace cleave::models {

namespace {

std::optional<std::int64_t> cache_left(const Model& model, const BlockFit& memory, int ranks,
                                       const NamedSizes& sizes) {
  double max_fitted = 0;
  for (const RunOfModel& run : model.fitted) {
    max_fitted = std::max(max_fitted, data_bytes(memory, run.ranks, run.sizes));
  }
  const double data = data_bytes(memory, ranks, sizes);
  std::optional<std::int64_t> left;
  for (const std::int64_t cache : model.cache_bytes) {
    const auto bytes = static_cast<double>(cache);
    if (max_fitted <= bytes && bytes < data) {
      left = std::max(cache, left.value_or(cache));
    }
  }
  return left;
}

}  // namespace

Forecast forecast(const Model& model, int ranks, const NamedSizes& sizes,
                  const PredictOptions& options, Composition composition) {
  const bool steals = model.type == "work_stealing";
  if (options.threads && !steals) {
    throw UsageError(fmt::format("threads are for work_stealing, the model is of {}", model.type));
  }
  Forecast result{.prediction = steals ? predict_stealing(model, ranks, sizes, options)
                                       : predict(model, ranks, sizes, options)};
  result.is_search = steals;
  if (!steals) {
    result.path = predict_critical_path(model, ranks, sizes, options);
  }
  if (composition == Composition::critical_path && !result.path) {
    throw UsageError(
        fmt::format("no critical path is known of {} with {} data", model.type, model.placement));
  }
  const bool prefers_path = model.path_is_closer() || ranks > model.max_ranks();
  result.is_path = composition == Composition::critical_path ||
                   (composition == Composition::closer && result.path && prefers_path);
  result.seconds = result.is_path ? result.path->seconds : result.prediction.seconds;
  result.low = result.is_path ? result.path->low : result.prediction.low;
  result.high = result.is_path ? result.path->high : result.prediction.high;
  if (model.memory) {
    result.memory_bytes = memory_bytes(*model.memory, ranks, sizes);
    result.cache_left_bytes = cache_left(model, *model.memory, ranks, sizes);
  }
  return result;
}

Forecast forecast(const Model& model, const RunPoint& run, PredictOptions options) {
  options.ranks_per_host = run.ranks_per_host;
  if (model.stealing) {
    options.threads = run.threads;
  }
  return forecast(model, run.ranks, run.sizes, options, Composition::closer);
}

}  // namespace cleave::models
