// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "models/theory/candidate_forms.hpp"
#include "models/theory/fit_law.hpp"
#include "models/theory/fit_parts.hpp"
#include "models/theory/observations.hpp"

namespace cleave::models {

// Of logarithms a size that grows by a factor at each of what is given is a line, and a power or a
// product is a sum.
std::optional<Law> fit_log_size(const std::string& name, const std::vector<RunPoint>& points) {
  std::set<std::pair<NamedSizes, std::int64_t>> different;
  for (const RunPoint& point : points) {
    const auto size = point.sizes.find(name);
    if (!point.given.contains(name) && size != point.sizes.end() && size->second > 0) {
      different.emplace(point.given, size->second);
    }
  }
  std::vector<Observation> observations;
  double largest = 0;
  for (const auto& [given, size] : different) {
    const double value = kLogShift + std::log(size);
    largest = std::max(largest, value);
    observations.push_back(
        {.run_sizes = given, .sizes = {given.begin(), given.end()}, .value = value});
  }
  const std::vector<std::string> names = varying_sizes(observations);
  if (names.empty() || observations.size() < names.size() + 2 || refuse_choice(observations)) {
    return std::nullopt;
  }
  // The floor is one of the size, not of its logarithm.
  auto law = fit_law(observations, candidate_forms(observations, Of::block), Weights::relative,
                     kFloor / largest);
  return std::holds_alternative<Law>(law) ? std::optional(std::get<Law>(std::move(law)))
                                          : std::nullopt;
}

}  // namespace cleave::models
