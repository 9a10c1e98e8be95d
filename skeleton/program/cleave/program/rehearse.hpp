// SPDX-License-Identifier: Apache-2.0
// --rehearse: the ranks of a run on more ranks than there are, by the real executor: of the
// hypercube one by one (rehearsal.hpp), of a search all in turns (virtual_ranks.hpp). Reference:
// docs/reference/programs.md.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <cleave/comm.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

/// "64" or "64:0,5". \throws UsageError
RehearsedRanks parse_rehearsed_ranks(const std::string& text);

/// \throws UsageError  if other options mean what no rehearsal does
void check_rehearsal(const RunOptions& options);

/// A warning of repetitions that differ in what they do, and of levels that are left out; empty if
/// there are none.
std::string what_to_know_of(const RehearsedRank& rehearsed, Inputs inputs);

/// The run of a program that is given --rehearse: prints the times, and to standard error what is
/// to be known of them; writes the trace, of which `information` tells. Collective over `world`.
void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              RunOptions options, RunInformation information);

/// In place of `measure`: runs the search on virtual ranks, whose spans and times go to
/// `recorders`, one a rank. \throws UsageError  if the machine lacks what it takes, or there are
/// more processes than this one
void rehearse_search(const Comm& world, AnyRun& run, const RunOptions& options,
                     const std::function<CallOptions(int rank)>& options_of,
                     std::span<Recorder> recorders, RunProgress& progress, double& input_s);

/// Writes what these ranks did. \throws Error
void write_rehearsed_search(const RunOptions& options, RunInformation run,
                            std::span<const Recorder> recorders);

}  // namespace cleave::detail
