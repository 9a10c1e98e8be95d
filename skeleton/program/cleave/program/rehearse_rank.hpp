// SPDX-License-Identifier: Apache-2.0
// A rehearsed rank of an application of known types.
#pragma once

#include <cstdint>
#include <functional>
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
#include <cleave/program/holding.hpp>
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

/// Prepares the rank and makes its calls. Collective over `world`.
/// \param make       what a rank is given
/// \param max_bytes  that the preparation may take
/// \param leaf       solves a rank's own part, unless it is empty
template <class App>
RehearsedRank rehearse_rank(const Comm& world, const App& app, const RunOptions& options,
                            CallOptions call, int rank, std::int64_t max_bytes,
                            const std::function<typename App::Problem(int)>& make, Leaf<App> leaf) {
  RehearsedRank rehearsed{.rank = rank};
  call.recorder = &rehearsed.recorder;
  Rehearsal<App> rehearsal(app, call, world, options.rehearse->of, rank, make, std::move(leaf));
  agree(world, [&] { rehearsal.prepare({.max_bytes = max_bytes}); });
  for (int i = 0; i < options.warm_up + options.repetitions; ++i) {
    auto problem = agree(world, [&] { return make(rank); });
    rehearsed.recorder.begin_repetition(i + 1, i < options.warm_up);  // 0 is the preparation
    const std::int64_t elapsed_ns = agree(world, [&] { return rehearsal.run(std::move(problem)); });
    if (is_distributed(options)) {
      add_asked_sizes(options, rehearsed.recorder);
    }
    rehearsed.recorder.end_repetition(elapsed_ns);
  }
  rehearsed.leaves = rehearsal.leaves();
  rehearsed.first_level = rehearsal.first_level();
  rehearsed.level_offset = rehearsal.level_offset();
  return rehearsed;
}

/// The same of an application whose problems are boxed, or in lists, where it needs that.
template <class App>
RehearsedRank rehearse_as_needed(const Comm& world, const App& app, const RunOptions& options,
                                 const CallOptions& call, int rank, std::int64_t max_bytes,
                                 const std::function<typename App::Problem(int)>& make) {
  if constexpr (NeedsBoxes<App>) {
    using Box = typename Boxed<App>::Problem;
    return rehearse_as_needed(world, Boxed<App>(app), options, call, rank, max_bytes,
                              [&](int of) { return Box([&] { return make(of); }); });
  } else if constexpr (!DividesInHalves<App>) {
    return rehearse_rank<InHalves<App>>(
        world, InHalves<App>(app), options, call, rank, max_bytes,
        [&](int of) { return InHalves<App>::list_of(make(of)); },
        leaf_of_list<App>(leaf_of(app, call)));
  } else {
    return rehearse_rank<App>(world, app, options, call, rank, max_bytes, make, leaf_of(app, call));
  }
}

}  // namespace cleave::detail
