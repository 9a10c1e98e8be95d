// SPDX-License-Identifier: Apache-2.0
// Good permutations quickly: NEH, and the iterated greedy method that starts from it.
#pragma once

#include <cstdint>
#include <limits>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

struct Schedule {
  Permutation permutation;
  int makespan = 0;
};

/// Nawaz, Enscore, Ham, "A heuristic algorithm for the m-machine, n-job flow-shop sequencing
/// problem", Omega 11, 1983: inserts the jobs one after the other, the longest first, each where
/// the makespan is least. Of equal positions the one that adds least idle time is taken
/// (Fernandez-Viagas, Framinan, "On insertion tie-breaking rules in heuristics for the permutation
/// flowshop scheduling problem", Computers and Operations Research 45, 2014). Cost: O(machines
/// jobs^2), with the partial makespans of Taillard ("Some efficient heuristic methods for the flow
/// shop sequencing problem", European Journal of Operational Research 47, 1990).
Schedule neh(const Instance& instance);

/// When iterated greedy ends: as soon as one of these is reached.
struct Effort {
  std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  int makespan = 0;  ///< good enough
};

/// Ruiz, Stuetzle, "A simple and effective iterated greedy algorithm for the permutation flowshop
/// scheduling problem", European Journal of Operational Research 177, 2007, with its parameters.
/// From NEH on, it takes 4 jobs out and inserts them again where the makespan is least. It improves
/// by moving single jobs, and accepts what is worse as simulated annealing at a constant
/// temperature does. The result depends on the seed alone, unless `seconds` ends it. \return the
/// best of all iterations
Schedule iterated_greedy(const Instance& instance, std::uint64_t seed, const Effort& effort);

}  // namespace cleave::flowshop
