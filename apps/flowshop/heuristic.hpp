// SPDX-License-Identifier: Apache-2.0
// Good permutations quickly: NEH, and the iterated greedy method that starts from it.
#pragma once

#include <cstdint>

#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

struct Schedule {
  Permutation permutation;
  int makespan = 0;
};

/// Nawaz, Enscore, Ham, "A heuristic algorithm for the m-machine, n-job flow-shop sequencing
/// problem", Omega 11, 1983: inserts the jobs one after the other, the longest first, each where
/// the makespan is least. Cost: O(machines
/// jobs^2), with the partial makespans of Taillard ("Some efficient heuristic methods for the flow
/// shop sequencing problem", European Journal of Operational Research 47, 1990).
Schedule neh(const Instance& instance);

/// Ruiz, Stuetzle, "A simple and effective iterated greedy algorithm for the permutation flowshop
/// scheduling problem", European Journal of Operational Research 177, 2007, with its parameters.
/// From NEH on, it takes 4 jobs out and inserts them again where the makespan is least. It improves
/// by moving single jobs, and accepts what is worse as simulated annealing at a constant
/// temperature does. It ends after `iterations`, or at a makespan of `good_enough`. The result
/// depends on the seed alone. \return the best of all iterations
Schedule iterated_greedy(const Instance& instance, std::uint64_t seed, std::int64_t iterations,
                         int good_enough = 0);

}  // namespace cleave::flowshop
