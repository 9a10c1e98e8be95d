// SPDX-License-Identifier: Apache-2.0
// A permutation flowshop. Every job passes machines 0, 1, ... in this order, and every machine
// takes the jobs in the same order, a permutation. Wanted is the permutation with the least
// makespan.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::flowshop {

/// Jobs by number, from 0, in the order in which the machines take them.
using Permutation = std::vector<int>;

struct Instance {
  std::string name;
  int jobs = 0;
  int machines = 0;
  std::vector<int> times;         ///< processing times >= 0, of machine 0's jobs, machine 1's ...
  std::optional<int> best_known;  ///< the least makespan that anyone has published

  int time(int machine, int job) const {
    return times[static_cast<std::size_t>(machine) * static_cast<std::size_t>(jobs) +
                 static_cast<std::size_t>(job)];
  }
};

/// When the last machine ends the last job, all starting at 0 and each as early as it can.
/// `permutation` may name some of the jobs only.
int makespan(const Instance& instance, std::span<const int> permutation);

/// Whether `permutation` names every job once.
bool is_complete(const Instance& instance, std::span<const int> permutation);

/// The instance of a file. It is a line "n m" of jobs and machines, then for each machine a line of
/// the n times of its jobs. Or it is a block of Taillard's with its two captions. Its head has a
/// seed and the makespan's upper and lower bound as well. Nothing else stands in the file. \param
/// file  names the instance, and is named in messages \throws FileError  naming the line
Instance parse_instance(std::string_view text, const std::filesystem::path& file);

/// The instance "ta001" to "ta120" of E. Taillard, "Benchmarks for basic scheduling problems",
/// European Journal of Operational Research 64, 1993. \throws UsageError  if there is none of this
/// name
Instance taillard_instance(std::string_view name);

/// "ta014", or a file, which may be packed by gzip.
/// \throws UsageError  if there is no such instance; FileError for a file that is none
Instance instance_named(const std::string& name);

}  // namespace cleave::flowshop
