// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include <cleave/blocks/agree_on_failure.hpp>

namespace cleave::detail {

std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda) {
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

std::string text_of_any(const Messages& comm, const std::string& mine) {
  std::array<std::int64_t, 1> lowest = {mine.empty() ? comm.size() : comm.rank()};
  comm.allreduce_min(lowest);
  return lowest[0] == comm.size() ? "" : comm.bcast(mine, static_cast<int>(lowest[0]));
}

void tell_or_throw(const EndedEarly& ended, const StealingOptions& options) {
  if (options.ended_early == nullptr) {
    throw_ended_early(ended);
  }
  *options.ended_early = ended;
}

}  // namespace cleave::detail
