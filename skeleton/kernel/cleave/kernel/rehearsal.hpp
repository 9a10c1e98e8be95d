// SPDX-License-Identifier: Apache-2.0
// A rank of a call on the hypercube, run alone by the real executor: every block has the sizes that
// it has on all the ranks. What the others would send is found once, before, and handed out in no
// time of the rehearsal.
//
// Replicated, rooted and merging: the halves that the rank does not follow are divided and solved
// down to the leaves of their ranks, which are timed there. That takes about as long as one rank
// takes for the whole. Sorting: the others' messages follow from all parts, so all ranks run in
// this process (virtual_ranks.hpp), which takes memory for all parts.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// The payloads that a rank gets at a level; none where none comes.
struct HeardPayloads {
  std::optional<Bytes> problem;
  std::optional<Bytes> solution;
};

/// A Clock of rehearsals: mpi_time_ns, but for the time in which messages were played.
std::int64_t rehearsed_ns();

/// The limits of a preparation. Levels from the root on that would take more are left out.
struct RehearsalLimits {
  double max_s = 60;
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The outcome of a preparation.
struct PreparedRehearsal {
  /// The spans of the other ranks' own parts, as far as they were solved: each solved once.
  Recorder own_parts{mpi_time_ns};
  std::vector<int> ranks;  ///< of each span
  int first_level = 0;     ///< that is rehearsed in full: 0, unless the limits forbid it
  int level_offset = 0;    ///< to be added to the levels of spans that `run` records
};

/// Rank `rank` of a call on `ranks` ranks.
class Rehearsal {
 public:
  /// \param options  what is recorded in a call, by which clock: `rehearsed_ns`; the placement
  /// \param world    processes that rehearse ranks of the same call at the same time
  /// \param make     what a rank is given; of the whole problem, what rank 0 is given
  /// \param solver   solves a rank's own part, unless it is empty
  /// \throws Error  if the application cannot go the way of the placement
  Rehearsal(const AnyApp& app, const CallOptions& options, const Comm& world, int ranks, int rank,
            std::function<ErasedValue(int)> make, Solver solver = nullptr);

  /// Finds what the others will send. \throws FunctorError
  void prepare(const RehearsalLimits& limits);
  const PreparedRehearsal& prepared() const { return prepared_; }

  /// Makes the call. Collective over `world`. \return  its nanoseconds without messages
  std::int64_t run(ErasedValue problem);

 private:
  friend class PlayedMessages;

  void solve_siblings();
  Values solved(std::optional<Values> problem, Group group, int level);
  void sort_parts();
  void choose_group();

  const AnyApp& app_;
  const CallOptions& options_;
  const Comm& world_;
  const Way way_;
  const int ranks_;
  const int rank_;
  const std::function<ErasedValue(int)> make_;
  const Solver solver_;
  RehearsalLimits limits_;
  std::int64_t begin_ns_ = 0;
  Group group_;  ///< that runs here
  Sizes whole_sizes_;
  std::vector<HeardPayloads> payloads_;  ///< by level
  std::vector<Bytes> messages_;          ///< of the sorting form: all, in their order
  PreparedRehearsal prepared_;
};

}  // namespace cleave::detail
