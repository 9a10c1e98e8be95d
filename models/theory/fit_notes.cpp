// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "models/theory/fit_parts.hpp"

namespace cleave::models {

std::vector<std::string> notes_on(const Law& law, const std::vector<Observation>& observations) {
  constexpr std::size_t kFewestSizes = 5;
  constexpr double kLeastSpan = 8;
  constexpr double kMuch = 0.1;
  std::vector<std::string> notes;
  std::set<NamedSizes> runs;
  for (const Observation& o : observations) {
    runs.insert(o.run_sizes);
  }
  const std::set<std::string> names = sizes_of(law.form());
  if (!names.empty() && runs.size() < kFewestSizes) {
    notes.push_back(fmt::format("{} sizes tell few forms apart: measure at least {}", runs.size(),
                                kFewestSizes));
  }
  for (const std::string& name : names) {
    const auto [least, most] = law.range.at(name);
    if (most < kLeastSpan * least) {
      notes.push_back(
          fmt::format("{} varies by a factor of {:.2g} only: measure over a factor of {}", name,
                      most / least, kLeastSpan));
    }
  }
  if (law.median_abs_relative_residual > kMuch) {
    notes.push_back(fmt::format(
        "half of the measured times are more than {:.0f} % off the fit: its time depends "
        "on something else than {}, which costs() can declare",
        100 * law.median_abs_relative_residual, names.empty() ? "a constant" : "its sizes"));
  }
  return notes;
}

}  // namespace cleave::models
