// SPDX-License-Identifier: Apache-2.0
// A program around an application, in one line:
//
//     int main(int argc, char** argv) { return cleave::run<Mergesort>(argc, argv); }
//
// It runs under mpiexec or alone, has --help, and options for the executor, the placement, sizes,
// repetitions, traces, verification, limits and snapshots (run_options.hpp). `cleave study` runs it
// on many sizes and ranks and predicts its run time.
//
// Besides its functors (application.hpp, tree_search.hpp) the application has one hook:
//
//     Problem make_problem(const NamedSizes& sizes, std::uint64_t seed) const;
//
// the problem that a run solves, of the sizes of `--size`, the same for the same seed on every
// rank. Without `kSizes` it takes the seed alone. All other hooks may be left out:
//
//     static constexpr SizeOption kSizes[] = {{"N", 1 << 20}};  // names and defaults of --size
//     static constexpr std::string_view kName = "mergesort";    // else the file's name
//     static constexpr std::string_view kSummary = "Sorts.";    // for --help
//     static constexpr std::string_view kWork = "N";  // the size that `imbalance` counts; else the
//                                                     // first of kSizes
//
//     // What is wrong with a whole solution, for --verify; nothing if it is right. Without it the
//     // solution is compared with that of recursion, or of a search by one loop, on one rank.
//     std::optional<std::string> wrong(const Problem&, const Solution&) const;
//
//     // What is printed of a solution, on rank 0. With a `const Comm&` first it is collective, and
//     // rank 0's counts.
//     Figures figures(const Solution&) const;
//
//     void add_options(CommandLine&);      // the application's own, before they are parsed
//     void check_options(RunOptions&);     // after; throws UsageError; may add warnings
//     Study study(const RunOptions&, bool is_quick) const;  // what `cleave study` runs
//     bool is_generated() const;           // whether a new seed makes a new problem; else it does
//     Costs costs() const;                 // what the model cannot guess of its blocks (costs.hpp)
//     // What is searched, for snapshots, beside the seed where that makes the problem; else its
//     // options, and what the files hold that they name.
//     std::string instance() const;
//     void keep(const Comm&, const Solution&) const;        // writes a right result; collective
//
// An application whose problem lies in parts (Placement::distributed) may make each rank's own, and
// check it; both are collective. Without the first, each rank makes the whole and takes its
// section, which only a sequence has; without the second, rank 0 gathers the solution.
//
//     Problem make_part(const Comm&, const NamedSizes& sizes, std::uint64_t seed) const;
//     std::optional<std::string> wrong_part(const Comm&, const NamedSizes& sizes,
//                                           std::uint64_t seed, const Solution&) const;
//
// A program that chooses among applications (of different element types, say) has, instead of
// functors, `using Application = ...`, the default one, and
//
//     template <class Run> void with_application(const RunOptions&, Run&& run) const;
//
// which calls `run(application)` once. Hooks of the command line are then the program's, all others
// the application's.
#pragma once

#include <cleave/program/contract.hpp>
#include <cleave/program/run.hpp>
#include <cleave/run_options.hpp>

namespace cleave {

/// Runs a program around `App`. Collective over MPI_COMM_WORLD, which it starts and ends.
///
/// \return  the status for main to return, on every rank: 0; 2 if the command line cannot be used;
///          1 after any other error, which is one line on standard error
template <class App>
int run(int argc, char** argv) {
  if constexpr (detail::require_program<App>()) {
    return detail::run_program<App>(argc, argv);
  } else {
    return 1;
  }
}

}  // namespace cleave
