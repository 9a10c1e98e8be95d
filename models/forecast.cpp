#include "models/forecast.hpp"

#include <fmt/format.h>

#include "models/memory.hpp"
#include "models/stealing.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

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
  const bool prefers_path = model.path_is_closer() || ranks > model.most_ranks();
  result.is_path = composition == Composition::critical_path ||
                   (composition == Composition::closer && result.path && prefers_path);
  result.seconds = result.is_path ? result.path->seconds : result.prediction.seconds;
  result.low = result.is_path ? result.path->low : result.prediction.low;
  result.high = result.is_path ? result.path->high : result.prediction.high;
  if (model.memory) {
    result.memory_bytes = memory_bytes(*model.memory, ranks, sizes);
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

}  // namespace cleave
