// SPDX-License-Identifier: Apache-2.0
#include "models/theory/memory.hpp"

#include <algorithm>

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

std::vector<Observation> memory_observations(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    if (point.peak_memory_bytes > 0) {
      observations.push_back({.run_sizes = point.sizes,
                              .sizes = memory_sizes(point.ranks, point.sizes),
                              .value = static_cast<double>(point.peak_memory_bytes)});
    }
  }
  return observations;
}

bool is_memory_known(const Law& law, const NamedSizes& sizes) {
  const NamedValues values = memory_sizes(1, sizes);
  return std::ranges::all_of(law.sizes(), [&](const auto& name) { return values.contains(name); });
}

double memory_bytes(const Law& law, int ranks, const NamedSizes& sizes) {
  return law.median(memory_sizes(ranks, sizes));
}

double data_bytes(const Law& law, int ranks, const NamedSizes& sizes) {
  double program = 0;
  for (std::size_t j = 0; j < law.form().size(); ++j) {
    if (law.form()[j] == Basis()) {
      program += law.hypotheses.front().coefficients[static_cast<Eigen::Index>(j)];
    }
  }
  return std::max(0.0, memory_bytes(law, ranks, sizes) - program);
}

}  // namespace cleave::models
