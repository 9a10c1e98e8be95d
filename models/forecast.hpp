// SPDX-License-Identifier: Apache-2.0
// What a user is told of one size on one number of ranks: the time by the composition that was
// closer to the measured runs, its interval, the blocks that it goes to, and the memory of a rank.
#pragma once

#include <optional>
#include <string>

#include "models/critical_path.hpp"
#include "models/omega.hpp"
#include "models/samples.hpp"

namespace cleave::models {

enum class Composition {
  /// The one that came closer to the runs that the model was fitted to; on more ranks than those
  /// the critical path where it is known, since waiting for the slowest grows with the ranks.
  closer,
  sum_of_maxima,  ///< equation 6
  critical_path,
};

struct Forecast {
  Prediction prediction;  ///< of equation 6; `shares` are its
  std::optional<PathPrediction> path;
  bool is_search = false;  ///< by work stealing, which has but one composition
  bool is_path = false;    ///< whether the next three are the critical path's
  double seconds = 0;
  double low = 0;
  double high = 0;
  std::optional<double> memory_bytes;  ///< of the rank that needs most
  /// A cache of the host of the traces that held the data of a rank in every run that was fitted,
  /// and does not hold it here; the largest such.
  std::optional<std::int64_t> cache_left_bytes;
};

/// \throws UsageError  if `composition` is the critical path and there is none for this placement
/// \throws             as `predict`
Forecast forecast(const Model& model, int ranks, const NamedSizes& sizes,
                  const PredictOptions& options, Composition composition);

/// Of a run that was measured, on as many ranks a host and threads, by the closer composition.
/// \throws  as above
Forecast forecast(const Model& model, const RunPoint& run, PredictOptions options = {});

}  // namespace cleave::models
