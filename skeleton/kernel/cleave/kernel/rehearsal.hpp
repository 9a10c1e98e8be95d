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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/lists.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// The messages that a rank gets from the others in a call.
struct Answers {
  // By level, none where no payload comes.
  std::vector<std::optional<Bytes>> problems;
  std::vector<std::optional<Bytes>> solutions;
  /// All messages of the sorting form, in their order.
  std::optional<std::vector<Bytes>> messages;
};

/// The messages that `rank` hears, in its order, when all of `ranks` ranks do their `work` in this
/// process.
std::vector<Bytes> heard_by(int rank, int ranks, const std::function<void(const Messages&)>& work);

/// A Clock of rehearsals: mpi_time_ns, but for the time in which messages were played.
std::int64_t rehearsed_ns();

/// One rank in one call.
///
/// Rehearsals of several ranks, one a process of `world`, run at the same time: each waits for the
/// others before the messages of every level. Ranks take part in different numbers of messages, so
/// they count levels, down and up again, and all wait equally often.
class PlayedMessages final : public Messages {
 public:
  /// Where a call lies in the recursion over ranks that is rehearsed.
  struct Levels {
    int first = 0;  ///< its own level 0
    int count = 0;  ///< in all, the same of every process
  };

  /// All but the numbers must outlive this.
  PlayedMessages(const Comm& world, int rank, int size, Levels levels, const Answers& answers)
      : world_(world), rank_(rank), size_(size), levels_(levels), answers_(answers) {}

  /// Waits for the levels that this rank had no messages at. Collective, once the call has ended.
  void finish() const;

  void begin(const Step& step, int level) const override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override;
  void exchange(std::span<const Comm::Outbound> out,
                std::span<const Comm::Inbound> in) const override;
  void send(int /*to*/, std::span<const std::byte> /*message*/) const override {}
  void receive(int from, std::span<std::byte> message) const override;
  /// The others do not fail.
  void allreduce_min(std::span<std::int64_t> /*values*/) const override {}
  std::string bcast(std::string text, int /*root*/) const override { return text; }

 private:
  void wait_for_others(int meetings) const;

  const Comm& world_;
  const int rank_;
  const int size_;
  const Levels levels_;
  const Answers& answers_;
  // State of the call.
  mutable int meetings_ = 0;        ///< with the others
  mutable std::size_t played_ = 0;  ///< of Answers::messages
  // State of the transfer (link.hpp).
  mutable const std::optional<Bytes>* payload_ = nullptr;
  mutable bool had_header_ = false;
  mutable bool asks_ = false;  ///< a byte about room comes before the payload
};

/// The limits of a preparation. Levels from the root on that would take more are left out.
struct RehearsalLimits {
  double max_s = 60;
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// The spans of other ranks' own parts.
struct Leaves {
  Recorder recorder{mpi_time_ns};
  std::vector<int> ranks;  ///< of each span
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

  /// Finds what the others will send. \throws FunctorError and what else the functors throw
  void prepare(const RehearsalLimits& limits);

  /// Makes the call. Collective over `world`. \return  its nanoseconds without messages
  std::int64_t run(ErasedValue problem);

  int rank() const { return rank_; }
  /// The own parts of the others, as far as they were solved: each solved once.
  const Leaves& leaves() const { return leaves_; }
  /// The first level that is rehearsed in full: 0, unless the limits forbid it.
  int first_level() const { return first_level_; }
  /// The number to be added to the levels of spans that `run` records.
  int level_offset() const { return level_offset_; }

 private:
  /// A group that the rank is of, whose other half is solved here.
  struct Divided {
    Group group;
    int level = 0;
    bool is_heard = true;             ///< whether the rank gets the other half's solution
    std::optional<Values> problem{};  ///< of the other half; none of parts
  };

  bool is_left_of(Group group) const { return group.left().contains(rank_); }
  double spent_s() const { return static_cast<double>(mpi_time_ns() - begin_ns_) * 1e-9; }
  void solve_siblings();
  void divide_along(std::vector<Divided>& path, Values problem);
  Values solved(std::optional<Values> problem, Group group, int level);
  Values solved_alone(Values problem, int rank, int level);
  void sort_parts();
  void choose_group();
  void keep_own_part(const Recorder& recorder, int rank);
  void add_sizes_of_all(const ErasedValue& problem);

  const AnyApp& app_;
  const Lists lists_;
  const CallOptions& options_;
  const Comm& world_;
  const Way way_;
  const Holders problem_holders_;
  const int ranks_;
  const int rank_;
  const std::function<ErasedValue(int)> make_;
  const Solver solver_;
  RehearsalLimits limits_;
  std::int64_t begin_ns_ = 0;
  Group group_;  ///< that runs here
  int level_offset_ = 0;
  int first_level_ = 0;
  Sizes whole_sizes_;
  Answers answers_;
  Leaves leaves_;
};

}  // namespace cleave::detail
