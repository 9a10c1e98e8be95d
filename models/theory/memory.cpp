// SPDX-License-Identifier: Apache-2.0
#include "models/theory/memory.hpp"

#include "models/theory/catalogue.hpp"

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

std::optional<Fit> fit_memory(const std::vector<RunPoint>& points, const Mechanisms& mechanisms) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    if (point.peak_memory_bytes > 0) {
      observations.push_back({.run_sizes = point.sizes,
                              .sizes = memory_sizes(point.ranks, point.sizes),
                              .value = static_cast<double>(point.peak_memory_bytes)});
    }
  }
  auto fit = fit_forms(observations, linear_forms(varying_sizes(observations)), Weights::relative,
                       mechanisms);
  return std::holds_alternative<Fit>(fit) ? std::optional(std::get<Fit>(std::move(fit)))
                                          : std::nullopt;
}

double memory_bytes(const Fit& fit, int ranks, const NamedSizes& sizes) {
  return fit(memory_sizes(ranks, sizes), kOneKind);
}

double data_bytes(const Fit& fit, int ranks, const NamedSizes& sizes) {
  double program = 0;
  const Eigen::VectorXd& coefficients = fit.coefficients.at(fit.kind_for(kOneKind));
  for (std::size_t j = 0; j < fit.form().size(); ++j) {
    if (fit.form()[j] == Basis()) {
      program += coefficients[static_cast<Eigen::Index>(j)];
    }
  }
  return memory_bytes(fit, ranks, sizes) - program;
}

}  // namespace cleave::models
