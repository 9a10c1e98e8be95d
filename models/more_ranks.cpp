// SPDX-License-Identifier: Apache-2.0
#include "models/more_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/files.hpp"
#include "models/forecast.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

/// None if the model refuses a block of the run.
std::optional<Forecast> forecast_if_known(const Model& model, const RunPoint& run) {
  try {
    return forecast(model, run);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Model::deviation_per_doubling: beyond what the intervals of a fit to fewer ranks have already.
double deviation_of_max_ranks(const Measurements& measurements, const std::vector<RunPoint>& fitted,
                              const std::set<int>& counts, const Refit& refit) {
  const int maximum = *counts.rbegin();
  const int next = *std::next(counts.rbegin());
  Measurements fewer = measurements;
  std::erase_if(fewer.points, [&](const RunPoint& point) { return point.ranks == maximum; });
  std::erase_if(fewer.samples, [&](const Sample& sample) { return sample.ranks == maximum; });
  std::erase_if(fewer.stealing, [&](const StealingRun& run) { return run.ranks == maximum; });
  const Model of_fewer = refit(fewer);
  std::vector<double> errors;
  std::vector<double> known;
  for (const RunPoint& point : fitted) {
    const auto predicted =
        point.ranks == maximum ? forecast_if_known(of_fewer, point) : std::optional<Forecast>();
    if (predicted) {
      errors.push_back(std::abs(median(point.seconds) / predicted->seconds - 1));
      known.push_back((predicted->high - predicted->seconds) / kDeviationsOf95 /
                      predicted->seconds);
    }
  }
  if (errors.empty()) {
    return 0;
  }
  const double error = kDeviationsPerMedian * median(std::move(errors));
  const double within = median(std::move(known));
  const double doublings = std::log2(static_cast<double>(maximum) / next);
  return std::sqrt(std::max(0.0, error * error - within * within) / doublings);
}

/// How much more of what is predicted runs take with each doubling of the ranks, or less: the
/// median slope between two runs of the same sizes.
double drift_per_doubling(const Model& model, const std::vector<RunPoint>& fitted) {
  std::map<std::pair<NamedSizes, int>, std::vector<std::pair<double, double>>> logarithms;
  for (const RunPoint& point : fitted) {
    if (const auto predicted = forecast_if_known(model, point)) {
      logarithms[{point.sizes, point.threads}].emplace_back(
          std::log2(point.ranks), std::log(median(point.seconds) / predicted->seconds));
    }
  }
  std::vector<double> slopes;
  for (const auto& [run, of_ranks] : logarithms) {
    for (std::size_t i = 0; i < of_ranks.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double doublings = of_ranks[i].first - of_ranks[j].first;
        if (doublings != 0) {
          slopes.push_back((of_ranks[i].second - of_ranks[j].second) / doublings);
        }
      }
    }
  }
  return slopes.empty() ? 0 : std::abs(median(std::move(slopes)));
}

}  // namespace

void look_at_more_ranks(Model& model, const Measurements& measurements, const Refit& refit) {
  std::set<int> counts;
  for (const RunOfModel& run : model.fitted) {
    counts.insert(run.ranks);
  }
  if (counts.size() < 3) {
    return;
  }
  std::vector<RunPoint> fitted = measurements.points;
  std::erase_if(fitted, [&](const RunPoint& point) { return !model.is_fitted_to(point); });
  model.drift_per_doubling = drift_per_doubling(model, fitted);
  model.deviation_per_doubling = deviation_of_max_ranks(measurements, fitted, counts, refit);
}

}  // namespace cleave::models
