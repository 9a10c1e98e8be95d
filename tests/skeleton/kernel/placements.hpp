// SPDX-License-Identifier: Apache-2.0
// Tests of calls with every placement of a problem that is not in parts.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include <cleave/comm.hpp>
#include <cleave/dc_type.hpp>

namespace cleave {

inline int world_rank() { return Comm(MPI_COMM_WORLD).rank(); }
inline int world_size() { return Comm(MPI_COMM_WORLD).size(); }

/// All placements of a problem that is not in parts.
inline std::vector<Placement> placements_of_wholes() {
  std::vector<Placement> placements;
  for (const detail::PlacementTraits& of : detail::kPlacements) {
    if (of.problem != detail::Holders::parts) {
      placements.push_back(of.placement);
    }
  }
  return placements;
}

class Placements : public ::testing::TestWithParam<Placement> {};
INSTANTIATE_TEST_SUITE_P(All, Placements, ::testing::ValuesIn(placements_of_wholes()));

/// Whether `rank`, or this one, has the solution.
inline bool has_solution(Placement placement, int rank = world_rank()) {
  return detail::traits_of(placement).solution == detail::Holders::all || rank == 0;
}

/// The problem as this rank has it: where rank 0 has it, what others pass is ignored.
template <class Problem>
Problem held(Placement placement, Problem problem) {
  return detail::traits_of(placement).problem == detail::Holders::all || world_rank() == 0
             ? problem
             : Problem{};
}

}  // namespace cleave
