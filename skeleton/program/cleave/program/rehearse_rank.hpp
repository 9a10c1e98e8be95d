// SPDX-License-Identifier: Apache-2.0
// A rehearsed rank of an application of known types.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/boxed.hpp>
#include <cleave/blocks/in_halves.hpp>
#include <cleave/call/call.hpp>
#include <cleave/comm.hpp>
#include <cleave/hypercube/hypercube.hpp>
#include <cleave/hypercube/rehearsal.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// A rank that this process has rehearsed.
struct RehearsedRank {
  int rank = 0;
  Recorder recorder{rehearsed_ns};
  Leaves leaves{};
  int first_level = 0;   ///< Rehearsal::first_level
  int level_offset = 0;  ///< Rehearsal::level_offset
};

/// What a rank is given, of the input of a seed.
template <class App>
using MakerOfSeed =
    std::function<std::function<typename App::Problem(int rank)>(std::uint64_t seed)>;

/// Prepares the rank and makes its calls, with `Inputs::each_new` each for itself, unless a
/// preparation takes too much to be repeated. Collective over `world`.
/// \param max_bytes  that the preparation may take
/// \param leaf       solves a rank's own part, unless it is empty
template <class App>
RehearsedRank rehearse_rank(const Comm& world, const App& app, const RunOptions& options,
                            CallOptions call, int rank, std::int64_t max_bytes,
                            const MakerOfSeed<App>& make_of, const Leaf<App>& leaf) {
  const int runs = options.warm_up + options.repetitions;
  const bool makes_new = options.inputs == Inputs::each_new;
  RehearsedRank rehearsed{.rank = rank};
  call.recorder = &rehearsed.recorder;
  RehearsalLimits limits{.max_bytes = max_bytes};
  limits.max_s /= makes_new ? runs : 1;
  std::function<typename App::Problem(int)> make;
  std::optional<Rehearsal<App>> rehearsal;
  for (int i = 0; i < runs; ++i) {
    if (!rehearsal || (makes_new && rehearsal->first_level() == 0)) {
      make = agree(world, [&] { return make_of(seed_of_repetition(options, i)); });
      rehearsal.emplace(app, call, world, options.rehearse->of, rank, make, leaf);
      agree(world, [&] { rehearsal->prepare(limits); });
      limits = {.max_s = std::numeric_limits<double>::infinity()};  // it takes as much again
    }
    auto problem = agree(world, [&] { return make(rank); });
    rehearsed.recorder.begin_repetition(i + 1, i < options.warm_up);  // 0 is the preparation
    const std::int64_t elapsed_ns =
        agree(world, [&] { return rehearsal->run(std::move(problem)); });
    if (is_distributed(options)) {
      add_asked_sizes(options, rehearsed.recorder);
    }
    rehearsed.recorder.end_repetition(elapsed_ns);
  }
  rehearsed.leaves = rehearsal->leaves();
  rehearsed.first_level = rehearsal->first_level();
  rehearsed.level_offset = rehearsal->level_offset();
  return rehearsed;
}

/// The same of an application whose problems are boxed, or in lists, where it needs that.
template <class App>
RehearsedRank rehearse_as_needed(const Comm& world, const App& app, const RunOptions& options,
                                 const CallOptions& call, int rank, std::int64_t max_bytes,
                                 const MakerOfSeed<App>& make_of) {
  if constexpr (NeedsBoxes<App>) {
    using Box = typename Boxed<App>::Problem;
    return rehearse_as_needed<Boxed<App>>(
        world, Boxed<App>(app), options, call, rank, max_bytes, [&](std::uint64_t seed) {
          return [make = make_of(seed)](int of) { return Box([&] { return make(of); }); };
        });
  } else if constexpr (!DividesInHalves<App>) {
    return rehearse_rank<InHalves<App>>(
        world, InHalves<App>(app), options, call, rank, max_bytes,
        [&](std::uint64_t seed) {
          return [make = make_of(seed)](int of) { return InHalves<App>::list_of(make(of)); };
        },
        leaf_of_list<App>(leaf_of(app, call)));
  } else {
    return rehearse_rank<App>(world, app, options, call, rank, max_bytes, make_of,
                              leaf_of(app, call));
  }
}

}  // namespace cleave::detail
