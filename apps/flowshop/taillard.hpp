// SPDX-License-Identifier: Apache-2.0
// Taillard's 120 flowshop instances and his generator (E. Taillard, "Benchmarks for basic
// scheduling problems", European Journal of Operational Research 64, 1993).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// `machines` x `jobs` processing times from 1 to 99, drawn for machine 0's jobs first.
/// \pre  0 < time_seed < 2^31 - 1
std::vector<int> taillard_times(int machines, int jobs, std::uint32_t time_seed);

/// The instance "ta001" to "ta120". \throws UsageError  if there is none of this name
Instance taillard_instance(std::string_view name);

}  // namespace cleave::flowshop
