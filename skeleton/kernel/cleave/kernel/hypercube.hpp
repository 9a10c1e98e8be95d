// SPDX-License-Identifier: Apache-2.0
// The hypercube executor: makes a rank's steps of the schedule (schedule.hpp) with values. The
// ranks of a communicator are halved at each level of the recursion, and each rank ends with a
// subproblem of its own. Any number of ranks (group.hpp). The steps of the sorting form are in
// split_parts.hpp.
//
// Who sends a message to whom at which level depends on the number of ranks alone, never on the
// data or on failures. A rank that has nothing to say sends a header that says so: it has failed,
// or its group's problem was conquered higher up. So nothing hangs.
#pragma once

#include <cleave/comm.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/lists.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

/// \throws Error  if the application cannot go the way of the placement
Way way_for(Placement asked, const AppTraits& application);

/// One DC_Call on one rank.
/// \param ranks    this rank among the others
/// \param way      that the application can go
/// \param solver   solves this rank's own part, unless it is empty
/// \param given    makes what this rank has of the problem
/// \param holders  who has it; what other ranks have counts for nothing
/// \return  what this rank gets; default-constructed where that is nothing
ErasedValue solve_on_hypercube(const AnyApp& app, const CallOptions& options, const Messages& ranks,
                               Way way, const Solver& solver, const Given& given, Holders holders);

}  // namespace cleave::detail
