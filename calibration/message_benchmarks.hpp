// SPDX-License-Identifier: Apache-2.0
// The micro-benchmarks behind l and g: what messages of many sizes cost under full load.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::calibration {

using detail::Communication;
using detail::Machine;
using detail::MessageSamples;

/// The exchange across `level` of the hypercube of `ranks` ranks: all partners swap at once, as
/// DC_Call does.
struct Pattern {
  int ranks = 2;
  int level = 0;
};

/// The exchange of each level.
std::vector<Pattern> patterns_for(int ranks);

struct MeasureOptions {
  std::vector<std::int64_t> message_bytes;  ///< ascending; each rank sends and receives so many
  double seconds = 10;                      ///< to spend at most
  double tolerance = 0.02;                  ///< of the median
};

/// The times of the rank whose own median is the longest, on every rank. The longest of all ranks
/// at each moment would grow with their number, since any of them is late now and then. Collective.
/// \pre  all ranks pass as many
std::vector<double> of_slowest_rank(const Comm& comm, std::vector<double> seconds);

/// Whether the median of repeated times is known to `tolerance`, e.g. 0.02: whether the interval
/// that holds the true one with 95 % probability is as narrow, after ten repetitions or more. Its
/// ends have the ranks floor((n - 1.96 sqrt n) / 2) and ceil(1 + (n + 1.96 sqrt n) / 2) of the
/// sorted times (Hoefler and Belli, "Scientific Benchmarking of Parallel Computing Systems",
/// SC'15).
bool median_is_stable(std::span<const double> seconds, double tolerance);

/// Measures one pattern on the first `pattern.ranks` ranks of `world`; collective over all of it.
///
/// Times are those of the rank whose own median is the longest. Messages lie in memory that no
/// cache has. Short ones are sent many times between two readings of the clock. The sizes are taken
/// in turn, round after round, so that a slow moment of the machine does not fall on one size; the
/// first round is a warm-up. A size is left out of later rounds once its median is stable on every
/// rank. When the time is over, the rest are marked as not stable. Moves during which a rank was
/// ready to run and had no core are left out, but of a size that has fewer than ten others.
///
/// Memory of a rank: twice the longest message, and 64 MiB.
///
/// \return  the samples, with l and g fitted to their medians; on rank 0 of `world` only
Communication measure(const Comm& world, const Pattern& pattern, const MeasureOptions& options);

/// The messages of a whole call on the hypercube: the executor's own, in its order, around functors
/// that do nothing.
struct CallMessages {
  detail::Way way = detail::Way::replicated;
  std::vector<std::int64_t> bytes;  ///< of a half's problem, solution or part at each level
  int key_bytes = 4;                ///< of what is sorted; taken to be 4, 8 or 16
};

/// Makes such calls for `seconds`, at least five after two of warm-up, and records them as
/// repetitions of a run of `sizes`, which must outlive the recorder. Messages lie in memory that
/// was just written, as an application's do. Halves of a group of odd size are taken to be as long
/// as the longer one.
///
/// Collective over `world`. \pre  there is a length for every level, and one at least
void make_calls(const Comm& world, const CallMessages& messages, const NamedSizes& sizes,
                double seconds, Recorder& recorder);

}  // namespace cleave::calibration
