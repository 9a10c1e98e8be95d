// SPDX-License-Identifier: Apache-2.0
#include "models/theory/candidate_forms.hpp"
#include "models/theory/fit_parts.hpp"
#include "models/theory/observations.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

TableModel fit_table(const std::vector<RunPoint>& points) {
  std::vector<Observation> observations;
  for (const RunPoint& point : points) {
    Observation& o =
        observations.emplace_back(Observation{.run_sizes = point.sizes,
                                              .sizes = table_sizes(point.ranks, point.sizes),
                                              .value = quiet_time(point.seconds),
                                              .disturbed = point.disturbed});
    o.run_sizes[kRanksSize] = point.ranks;
  }
  auto law = [&]() -> std::variant<Law, Refusal> {
    if (auto refusal = refuse_choice(observations)) {
      return *std::move(refusal);
    }
    return fit_law(observations, candidate_forms(observations, Of::run));
  }();
  if (const auto* refusal = std::get_if<Refusal>(&law)) {
    throw Error("the table cannot be fitted: " + refusal->reason);
  }
  return {.law = std::get<Law>(std::move(law)), .rows = static_cast<int>(points.size())};
}

}  // namespace cleave::models
