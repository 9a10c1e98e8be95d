// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>
#include <utility>

#include <cleave/kernel/call.hpp>
#include <cleave/program/rehearse_rank.hpp>

namespace cleave::detail {

RehearsedRank rehearse_rank(const Comm& world, const AnyApp& app, const RunOptions& options,
                            CallOptions call, int rank, std::int64_t max_bytes,
                            const MakerOfSeed& make_of) {
  const int runs = options.warm_up + options.repetitions;
  const bool makes_new = options.inputs == Inputs::each_new;
  const Solver solver = solver_of(app, call);
  RehearsedRank rehearsed{.rank = rank};
  call.recorder = &rehearsed.recorder;
  RehearsalLimits limits{.max_bytes = max_bytes};
  limits.max_s /= makes_new ? runs : 1;
  std::function<ErasedValue(int)> make;
  std::optional<Rehearsal> rehearsal;
  for (int i = 0; i < runs; ++i) {
    if (!rehearsal || (makes_new && rehearsal->first_level() == 0)) {
      make = agree(world, [&] { return make_of(seed_of_repetition(options, i)); });
      rehearsal.emplace(app, call, world, options.rehearse->of, rank, make, solver);
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

}  // namespace cleave::detail
