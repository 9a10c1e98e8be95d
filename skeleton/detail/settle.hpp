// The agreement at the end of a DC_Call: one rank's failure becomes every rank's.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "skeleton/comm.hpp"
#include "skeleton/detail/blocks.hpp"
#include "skeleton/error.hpp"

namespace cleave::detail {

/// Collective. If any rank has failed, every rank throws the failure of the lowest level, and there
/// of the lowest rank. \throws FunctorError
template <HasProblemAndSolution App>
void settle(const Comm& comm, Blocks<App>& blocks) {
  const std::int64_t ranks = comm.size();
  const std::optional<Failure>& failure = blocks.failure();
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const std::int64_t mine = failure ? failure->level * ranks + comm.rank() : kNone;
  const std::int64_t worst = blocks.timed(
      Block::wait, Place{0, comm.size()}, [&] { return comm.least(mine); },
      [](std::int64_t) { return Sizes{}; });
  if (worst != kNone) {
    const auto rank = static_cast<int>(worst % ranks);
    const std::string block = comm.broadcast(failure ? failure->block : "", rank);
    const std::string message = comm.broadcast(failure ? failure->message : "", rank);
    throw FunctorError(rank, static_cast<int>(worst / ranks), block, message);
  }
}

}  // namespace cleave::detail
