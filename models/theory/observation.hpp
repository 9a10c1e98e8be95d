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

/// Of observations that do not depend on how many ranks share a host.
inline constexpr int kOneRankPerHost = 1;

/// A value that was measured at some sizes.
struct Observation {
  NamedSizes run_sizes;                  ///< of the run that it comes from
  int ranks_per_host = kOneRankPerHost;  ///< that computed at once
  NamedValues sizes;                     ///< that the value is a function of
  double value = 0;                      ///< seconds, or bytes; above 0
  double disturbed = 0;  ///< chance that it is too long, as its run was disturbed throughout
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
