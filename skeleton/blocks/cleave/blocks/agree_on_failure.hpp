// SPDX-License-Identifier: Apache-2.0
// The agreement at the end of a DC_Call: one rank's failure becomes every rank's.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include <cleave/blocks/blocks.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/error.hpp>

namespace cleave::detail {

/// Collective. If any rank has failed, every rank throws the failure of the lowest level, and there
/// of the lowest rank.
///
/// \param agenda  anything that a rank may ask of all in the same agreement
/// \return  the greatest of any rank
/// \throws FunctorError
template <HasProblemAndSolution App>
std::int64_t agree_on_failure(const Messages& comm, Blocks<App>& blocks, std::int64_t agenda = 0) {
  const std::int64_t ranks = comm.size();
  const std::optional<Failure>& failure = blocks.failure();
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2> minimum = {failure ? failure->level * ranks + comm.rank() : kNone,
                                         -agenda};
  blocks.timed(
      Block::wait, Level{0, comm.size()},
      [&] {
        comm.allreduce_min(minimum);
        return true;
      },
      [](bool) { return Sizes{}; });
  const std::int64_t worst = minimum[0];
  if (worst != kNone) {
    const auto rank = static_cast<int>(worst % ranks);
    const std::string block = comm.bcast(failure ? failure->block : "", rank);
    const std::string message = comm.bcast(failure ? failure->message : "", rank);
    throw FunctorError(rank, static_cast<int>(worst / ranks), block, message);
  }
  return -minimum[1];
}

/// The text of the lowest rank that has one, on every rank. Collective.
inline std::string text_of_any(const Messages& comm, const std::string& mine) {
  std::array<std::int64_t, 1> lowest = {mine.empty() ? comm.size() : comm.rank()};
  comm.allreduce_min(lowest);
  return lowest[0] == comm.size() ? "" : comm.bcast(mine, static_cast<int>(lowest[0]));
}

/// Where the options say, or else by a throw.
inline void tell_or_throw(const EndedEarly& ended, const StealingOptions& options) {
  if (options.ended_early == nullptr) {
    throw_ended_early(ended);
  }
  *options.ended_early = ended;
}

}  // namespace cleave::detail
