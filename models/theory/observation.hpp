// SPDX-License-Identifier: Apache-2.0
// What a fit is made to.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cleave/sizes.hpp>

#include "models/theory/basis.hpp"

namespace cleave::models {

/// The kind of observations that are all of one.
inline constexpr int kOneKind = 1;

/// A value that was measured at some sizes.
struct Observation {
  NamedSizes run_sizes;  ///< of the run that it comes from: whole runs are drawn and left out
  int kind =
      kOneKind;  ///< ranks that compute at once on a host: each kind has coefficients of its own
  NamedValues sizes;     ///< that the value is a function of
  double value = 0;      ///< seconds, or bytes; above 0
  double deviation = 0;  ///< relative standard error of the value
};

/// The least and the largest value of each size.
using Ranges = std::map<std::string, std::pair<double, double>>;

inline void extend(Ranges& ranges, const std::string& name, double value) {
  auto& [minimum, maximum] = ranges.try_emplace(name, value, value).first->second;
  minimum = std::min(minimum, value);
  maximum = std::max(maximum, value);
}

inline Ranges ranges_of(const std::vector<Observation>& observations) {
  Ranges ranges;
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      extend(ranges, name, value);
    }
  }
  return ranges;
}

}  // namespace cleave::models
