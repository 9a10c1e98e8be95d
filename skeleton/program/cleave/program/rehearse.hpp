// SPDX-License-Identifier: Apache-2.0
// --rehearse: the ranks of a run on more ranks than there are, one by one, by the real executor
// (rehearsal.hpp). Reference: docs/reference/programs.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/boxed.hpp>
#include <cleave/comm.hpp>
#include <cleave/hypercube/rehearsal.hpp>
#include <cleave/program/answers.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/program/contract.hpp>
#include <cleave/program/inject.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// A rank that this process has rehearsed.
struct RehearsedRank {
  int rank = 0;
  Recorder recorder{rehearsed_ns};
  Leaves leaves;
  int first_level = 0;   ///< Rehearsal::first_level
  int level_offset = 0;  ///< Rehearsal::level_offset
};

/// "64" or "64:0,5". \throws UsageError
RehearsedRanks parse_rehearsed_ranks(const std::string& text);

/// \throws UsageError  if other options mean what no rehearsal does
void check_rehearsal(const RunOptions& options);

/// Which ranks this process is to rehearse, one after the other: of those that were named every
/// so many-th, else one, evenly spaced from 0 on. \throws UsageError  if processes would have
/// different numbers of ranks
std::vector<int> ranks_of_process(const Comm& world, const RehearsedRanks& wanted);

/// A warning: that repetitions differ in what they do, that levels are left out; empty if neither.
std::string what_to_know_of(const RehearsedRank& rehearsed);

/// Prints the times, and to standard error what is to be known of them; writes the trace. `mine`
/// as `ranks_of_process` has it. Collective.
void tell_rehearsal(const Comm& world, const CommandLine& command_line, Costs costs, int argc,
                    char** argv, const std::vector<RehearsedRank>& mine);

/// What a rank of the run is given, as `run_repetitions` makes it on that rank.
template <class App>
std::function<typename App::Problem(int)> maker_of_problems(const App& app,
                                                            const RunOptions& options) {
  using Problem = typename App::Problem;
  const int ranks = options.rehearse->of;
  if constexpr (HasMakePart<App> && MakesParts<App>) {
    if (is_distributed(options)) {
      if (!is_generated(app)) {
        throw UsageError(
            "--rehearse: parts that are read from a file are not made for other ranks; take "
            "--placement replicated");
      }
      return [&app, &options, ranks](int rank) {
        return app.make_part(Comm::as_rank(rank, ranks), options.sizes, options.seed);
      };
    }
  }
  if constexpr (std::copy_constructible<Problem>) {
    const auto whole = std::make_shared<const Problem>(make_whole(app, options, options.seed));
    if constexpr (MakesParts<App> && !HasMakePart<App>) {
      if (is_distributed(options)) {
        return [whole, ranks](int rank) { return section_of(*whole, rank, ranks); };
      }
    }
    return [whole, &options, ranks](int rank) {
      return holds_problem(Comm::as_rank(rank, ranks), options) ? *whole : Problem{};
    };
  } else {
    return [&app, &options, ranks](int rank) {
      return holds_problem(Comm::as_rank(rank, ranks), options)
                 ? make_whole(app, options, options.seed)
                 : Problem{};
    };
  }
}

/// Prepares the rank and makes its calls. Collective over `world`.
template <class App>
RehearsedRank rehearse_rank(const Comm& world, const App& app, const RunOptions& options,
                            CallOptions call, int rank,
                            const std::function<typename App::Problem(int)>& make) {
  RehearsedRank rehearsed{.rank = rank};
  call.recorder = &rehearsed.recorder;
  Rehearsal<App> rehearsal(app, call, world, way_for<App>(call.placement), options.rehearse->of,
                           rank, make);
  agree(world,
        [&] { rehearsal.prepare({.max_bytes = available_memory() / world.ranks_per_host()}); });
  for (int i = 0; i < options.warm_up + options.repetitions; ++i) {
    auto problem = agree(world, [&] { return make(rank); });
    rehearsed.recorder.begin_repetition(i + 1, i < options.warm_up);  // 0 is the preparation
    rehearsed.recorder.end_repetition(
        agree(world, [&] { return rehearsal.run(std::move(problem)); }));
  }
  rehearsed.leaves = rehearsal.leaves();
  rehearsed.first_level = rehearsal.first_level();
  rehearsed.level_offset = rehearsal.level_offset();
  return rehearsed;
}

/// The run of a program that is given --rehearse. Collective over `world`.
template <DivideInHalvesAndConquer App>
void rehearse_application(const Comm& world, const App& app, const CommandLine& command_line,
                          int argc, char** argv) {
  const RunOptions& options = command_line.options();
  const std::vector<int> ranks = ranks_of_process(world, *options.rehearse);
  CallOptions call{{.placement = options.placement}};
  call.hooks.before_block = arm(command_line.test_options().injections, world.rank());
  keep_freed_memory();
  bind_as(options, world);
  const auto make = agree(world, [&] { return maker_of_problems(app, options); });
  std::vector<RehearsedRank> mine;
  for (const int rank : ranks) {
    if constexpr (NeedsBoxes<App>) {
      const Boxed<App> boxed(app);
      mine.push_back(rehearse_rank<Boxed<App>>(world, boxed, options, call, rank, [&](int of) {
        return typename Boxed<App>::Problem([&] { return make(of); });
      }));
    } else {
      mine.push_back(rehearse_rank<App>(world, app, options, call, rank, make));
    }
  }
  tell_rehearsal(world, command_line, costs_of(app), argc, argv, mine);
}

}  // namespace cleave::detail
