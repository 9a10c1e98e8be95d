// SPDX-License-Identifier: Apache-2.0
// Taillard's 120 flowshop instances, his generator and his file format (E. Taillard, "Benchmarks
// for basic scheduling problems", European Journal of Operational Research 64, 1993).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// `machines` x `jobs` processing times from 1 to 99, drawn for machine 0's jobs first.
/// \pre  0 < time_seed < 2^31 - 1
std::vector<int> taillard_times(int machines, int jobs, std::int32_t time_seed);

/// The instance "ta001" to "ta120". \throws UsageError  if there is none of this name
Instance taillard_instance(std::string_view name);

/// The instances of a file in Taillard's format. Each is a line of five numbers: jobs, machines,
/// seed, upper and lower bound of the makespan. Then come the processing times, machine 0's jobs
/// first, separated by blanks or line ends. Lines that begin with a letter are captions, allowed
/// before the five numbers and before the times. The upper bound is taken as the best known
/// makespan, unless it is 0. Instances are named after the file and, if there are several, their
/// number from 1.
///
/// \param text  the whole file
/// \param file  its name, for messages
/// \throws FileError  naming the line: too few numbers, not a number, out of range
std::vector<Instance> parse_taillard_file(std::string_view text, const std::filesystem::path& file);

}  // namespace cleave::flowshop
