// SPDX-License-Identifier: Apache-2.0
// What measurements say of runs, as verdicts, tables and figures need it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/report/report.hpp"

namespace cleave::models {

using RunKey = std::pair<int, NamedSizes>;  ///< ranks and sizes

/// Seconds of each block of each run: the sum over levels of the longest over the ranks.
std::map<RunKey, std::map<detail::Block, double>> measured_blocks(const Measurements& measurements);

/// The largest part of any run that each block takes.
std::map<detail::Block, double> largest_shares(const Measurements& measurements);

/// The names of all sizes, in alphabetical order.
std::vector<std::string> size_names(const std::vector<JudgedRun>& comparisons);

/// 0 where the run has no such size.
std::int64_t size_or_zero(const NamedSizes& sizes, const std::string& name);

}  // namespace cleave::models
