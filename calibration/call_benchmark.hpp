// SPDX-License-Identifier: Apache-2.0
// The messages of a whole call on the hypercube: the executor's own, in its order, around functors
// that do nothing.
#pragma once

#include <cstdint>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::calibration {

/// What a call sends.
struct CallMessages {
  detail::Way way = detail::Way::replicated;
  std::vector<std::int64_t> bytes;  ///< of a half's problem, solution or part at each level
  int key_bytes = 4;                ///< of what is sorted; taken to be 4, 8 or 16
};

/// What the calls of `trace` sent at most at each level. A rehearsal sends nothing, but makes room
/// for what comes. \throws UsageError  if the trace does not tell
CallMessages messages_of(const detail::Trace& trace);

/// Makes such calls for `seconds`, at least five after two of warm-up, and records them as
/// repetitions of a run of `sizes`, which must outlive the recorder. Messages lie in memory that
/// was just written, as an application's do. Halves of a group of odd size are taken to be as long
/// as the longer one.
///
/// Collective over `world`. \pre  there is a length for every level, and one at least
void make_calls(const Comm& world, const CallMessages& messages, const NamedSizes& sizes,
                double seconds, Recorder& recorder);

}  // namespace cleave::calibration
