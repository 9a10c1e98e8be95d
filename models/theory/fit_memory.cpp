// SPDX-License-Identifier: Apache-2.0
#include "models/theory/catalogue.hpp"
#include "models/theory/fit_law.hpp"
#include "models/theory/fit_parts.hpp"
#include "models/theory/memory.hpp"

namespace cleave::models {

std::optional<Law> fit_memory(const std::vector<RunPoint>& points) {
  const std::vector<Observation> observations = memory_observations(points);
  auto law = fit_law(observations, linear_forms(varying_sizes(observations)));
  return std::holds_alternative<Law>(law) ? std::optional(std::get<Law>(std::move(law)))
                                          : std::nullopt;
}

}  // namespace cleave::models
