// SPDX-License-Identifier: Apache-2.0
#include "models/memory.hpp"

#include "models/selection.hpp"

namespace cleave::models {

namespace {

NamedValues memory_sizes(int ranks, const NamedSizes& sizes) {
  NamedValues values;
  for (const auto& [name, value] : sizes) {
    values[name] = static_cast<double>(value);
    values[name + "_per_rank"] = static_cast<double>(value) / ranks;
  }
  return values;
}

}  // namespace

std::optional<BlockFit> fit_memory(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    if (point.peak_memory_bytes > 0) {
      observations.push_back({.run_sizes = point.sizes,
                              .sizes = memory_sizes(point.ranks, point.sizes),
                              .value = static_cast<double>(point.peak_memory_bytes)});
    }
  }
  if (observations.empty()) {
    return std::nullopt;
  }
  auto fit =
      fit_best_form(observations, linear_forms(varying_sizes(observations)), Weights::relative);
  return std::holds_alternative<BlockFit>(fit) ? std::optional(std::get<BlockFit>(std::move(fit)))
                                               : std::nullopt;
}

double memory_bytes(const BlockFit& fit, int ranks, const NamedSizes& sizes) {
  return fit(memory_sizes(ranks, sizes));
}

double data_bytes(const BlockFit& fit, int ranks, const NamedSizes& sizes) {
  double program = 0;
  for (std::size_t j = 0; j < fit.form.size(); ++j) {
    if (fit.form[j] == Basis()) {
      program += fit.fit.coefficients[static_cast<Eigen::Index>(j)];
    }
  }
  return memory_bytes(fit, ranks, sizes) - program;
}

}  // namespace cleave::models
