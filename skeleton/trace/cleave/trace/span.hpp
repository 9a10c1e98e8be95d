// SPDX-License-Identifier: Apache-2.0
// A span: one interval that one rank spent in one conceptual block of the skeleton.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <cleave/sizes.hpp>

namespace cleave::detail {

/// The conceptual blocks of the skeleton. `wait` is time spent on a partner that is late, so that
/// it cannot hide in `exchange`. `skeleton` is what the skeleton itself computes (tau_HDC).
enum class Block : std::uint8_t {
  divide,
  exchange,
  combine,
  sequential,
  conquer,
  skeleton,
  wait,
  steal,
  idle,
  sample,     ///< of this rank's part, for the choice of a splitter
  pivot,      ///< gathering samples, choosing the splitter and telling it
  partition,  ///< of this rank's part around the splitter
};

inline constexpr std::array<std::string_view, 12> kBlockNames = {
    "divide", "exchange", "combine", "sequential", "conquer", "skeleton",
    "wait",   "steal",    "idle",    "sample",     "pivot",   "partition"};

constexpr std::string_view name_of(Block block) {
  return kBlockNames[static_cast<std::size_t>(block)];
}

constexpr std::optional<Block> block_named(std::string_view name) {
  const auto* const found = std::ranges::find(kBlockNames, name);
  return found == kBlockNames.end()
             ? std::nullopt
             : std::optional(static_cast<Block>(found - kBlockNames.begin()));
}

/// One interval of one block on one rank. Times are nanoseconds of the recording rank's clock.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;  ///< of the message moved, or of the storage obtained; 0 if none
  std::array<std::int64_t, Sizes::kMaxSizes> size_values{};
  std::int32_t repetition = 0;
  std::int32_t group = 1;  ///< ranks that share the subproblem at this level
  std::int16_t level = 0;  ///< step of the recursion over ranks, 0 at the root
  Block block = Block::skeleton;
  std::uint8_t size_names = 0;  ///< which list of names `size_values` has, see Recorder::names
};
static_assert(sizeof(Span) <= 64, "a span costs at most 64 bytes");

/// One worker of a search: a thread of a rank. Times are nanoseconds.
struct WorkerStatistics {
  int rank = 0;
  int thread = 0;
  std::int64_t visits = 0;       ///< calls of `visit`, or of `conquer` and `divide`
  std::int64_t nodes = 0;        ///< what it added to the size "nodes" of its total; else `visits`
  std::int64_t searches = 0;     ///< times that it had nodes to visit, after it had none
  std::int64_t local_tried = 0;  ///< steals from another worker of the rank
  std::int64_t local_made = 0;
  std::int64_t remote_tried = 0;  ///< requests to other ranks; a rank's are its first worker's
  std::int64_t remote_made = 0;
  std::int64_t nodes_stolen = 0;    ///< by these steals
  std::int64_t bytes_received = 0;  ///< of nodes, from other ranks
  std::int64_t searching_ns = 0;
  std::int64_t stealing_ns = 0;  ///< from running dry until it has nodes again
  std::int64_t starting_ns = 0;  ///< of this, before its first visit
  std::int64_t idle_ns = 0;      ///< from running dry to the end, or to a moment of rest
  std::int64_t ending_ns = 0;    ///< of this, the last time
};

/// A worker of a search in one repetition.
struct WorkerOfRepetition {
  std::int32_t repetition = 0;
  WorkerStatistics statistics;
};

/// One repetition of a whole call: the sizes of its problem and solution, and its time.
struct Repetition {
  std::int32_t index = 0;
  bool warm_up = false;
  std::int64_t elapsed_ns = 0;  ///< the longest over the ranks
  Sizes sizes;
};

}  // namespace cleave::detail
