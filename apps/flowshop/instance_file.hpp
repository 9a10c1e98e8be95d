// SPDX-License-Identifier: Apache-2.0
// Files of flowshop instances: Taillard's, and those of the OR-library and of Vallada, Ruiz and
// Framinan (2015), which name the machine of each time.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// The instances of a file. Each has
/// - a head: a line of jobs and machines, or of these, a seed, and the upper and lower bound of the
///   makespan;
/// - its times: a line for each machine, with the times of all jobs (Taillard); or a line for each
///   job, with each machine's number, from 0, and its time;
/// - perhaps a solution: a line of its makespan, a line of the permutation, or both; jobs count
///   from 0 or from 1.
/// Empty lines and captions, which begin with a letter, may stand between these. The best known
/// makespan is the least that the file names. Instances are named after the file and, if there are
/// several, their number from 1.
///
/// \param text  the whole file
/// \param file  its name, for messages
/// \throws FileError  naming the line: not as many numbers as the head promises, not a number, out
///                    of range, a makespan that is not that of its permutation
std::vector<Instance> parse_instances(std::string_view text, const std::filesystem::path& file);

}  // namespace cleave::flowshop
