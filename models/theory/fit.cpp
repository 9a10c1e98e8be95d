// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/dc_type.hpp>
#include <cleave/trace/median.hpp>

#include "models/theory/fit_parts.hpp"
#include "models/theory/judge.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

Model described(const Measurements& measurements, const FitOptions& options,
                const detail::Provenance& provenance) {
  return {.app = measurements.app,
          .type = measurements.type,
          .placement = measurements.placement,
          .threads = measurements.threads,
          .options = measurements.options,
          .cache_bytes = measurements.cache_bytes,
          .cores = measurements.cores,
          .given_sizes = measurements.given_sizes,
          .forms = options.forms == Forms::paper ? "paper" : "auto",
          .notes = measurements.notes,
          .provenance = provenance};
}

RunOfModel run_of_model(const RunPoint& point) {
  return {.ranks = point.ranks,
          .threads = point.threads,
          .ranks_per_host = point.ranks_per_host,
          .sizes = point.sizes,
          .files = point.files};
}

/// What the repetitions of the fitted runs took, over the quiet time that the model says of them.
/// Rehearsals have no noise of a host.
std::map<int, std::vector<double>> noise_of(const Model& model,
                                            const std::vector<RunPoint>& points) {
  std::map<int, std::vector<double>> noise;
  for (const RunPoint& point : points) {
    if (point.is_rehearsed) {
      continue;
    }
    try {
      const double predicted = predict(model, point).seconds;
      for (const double seconds : point.seconds) {
        noise[point.ranks].push_back(seconds / predicted);
      }
    } catch (const Error&) {
      continue;  // a part was refused, and the model says so
    }
  }
  for (auto& [ranks, ratios] : noise) {
    std::ranges::sort(ratios);
  }
  return noise;
}

/// Everything but the verdict.
Model fit_parts(Model model, const Measurements& measurements,
                const std::optional<detail::Machine>& machine, const FitOptions& options) {
  for (const RunPoint& point : measurements.points) {
    model.fitted.push_back(run_of_model(point));
  }
  model.memory = fit_memory(measurements.points);
  if (measurements.type == kTableType) {
    model.parts = fit_table(measurements.points);
  } else if (measurements.type == name_of(DC_Type::work_stealing)) {
    fit_search(model, measurements.searches);
  } else {
    model.network =
        machine ? network_of(*machine) : network_of(measurements.samples, measurements.placement);
    fit_hypercube(model, measurements, options, machine.has_value());
  }
  for (const std::string& name : model.size_names()) {
    if (std::optional<Law> law = fit_log_size(name, measurements.points)) {
      model.log_sizes.emplace(name, *std::move(law));
    }
  }
  model.noise = noise_of(model, measurements.points);
  return model;
}

/// The points by whose sizes runs are held out. Of a table whose runs differ in their ranks alone
/// these are such a size.
std::vector<RunPoint> told_apart(const Measurements& measurements) {
  std::vector<RunPoint> points = measurements.points;
  const bool by_ranks =
      measurements.type == kTableType && std::ranges::all_of(points, [&](const RunPoint& point) {
        return point.sizes == measurements.points.front().sizes;
      });
  for (RunPoint& point : points) {
    if (by_ranks) {
      point.sizes[kRanksSize] = point.ranks;
    }
  }
  return points;
}

}  // namespace

Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance) {
  const std::vector<RunPoint> points = told_apart(measurements);
  const std::vector<NamedSizes> held_out = held_out_sizes(points, options.hold_out);
  const auto is_held_out = [&](const NamedSizes& sizes) {
    return std::ranges::find(held_out, sizes) != held_out.end();
  };
  Model model = described(measurements, options, provenance);
  Measurements fitted = measurements;
  fitted.points.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const RunPoint& point = measurements.points[i];
    if (is_held_out(points[i].sizes)) {
      model.held_out.push_back(run_of_model(point));
    } else {
      fitted.points.push_back(point);
    }
  }
  if (fitted.points.empty()) {
    throw UsageError(
        "--hold-out leaves no size to fit: measure sizes that differ by more, or hold out none");
  }
  std::erase_if(fitted.samples, [&](const Sample& s) { return is_held_out(s.run_sizes); });
  std::erase_if(fitted.searches, [&](const SearchRun& r) { return is_held_out(r.sizes); });
  model = fit_parts(std::move(model), fitted, machine, options);
  model.verdict = judge(model, measurements.points);
  if (options.hold_out != HoldOut::none && !model.verdict.trusted) {
    model.verdict.advice =
        "--hold-out leaves too few sizes to predict others from: measure more, or hold out none";
  }
  return model;
}

}  // namespace cleave::models
