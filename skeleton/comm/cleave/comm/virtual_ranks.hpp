// SPDX-License-Identifier: Apache-2.0
// The ranks of a call in one process, each with a clock of its own (docs/explanation/model.md,
// "Rehearsals"). They are fibers that take turns: one goes on until it asks for a message, then
// whichever is furthest behind does, so no message comes too late. A rank's clock goes on by what
// its work takes here, and by what it waits for messages, which a network delays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::detail {

/// The time that messages take: none by default.
struct VirtualNetwork {
  Communication inside;                                  ///< of a host
  Communication between;                                 ///< hosts
  int ranks_per_host = std::numeric_limits<int>::max();  ///< neighbours by their numbers
  std::function<std::int64_t()> more_ns = nullptr;       ///< for each message beside that

  int host_of(int rank) const { return rank / ranks_per_host; }
  /// One way: 2 (l + g bytes), the time of an exchange (eq. 9).
  std::int64_t delay_ns(int from, int to, std::size_t bytes) const;
};

/// The network of a machine for so many ranks. \throws UsageError  if it lacks what they need
VirtualNetwork network_of(const Machine& machine, int ranks, int ranks_per_host);

/// The time that this thread has had a processor, from any moment on. Cost: as monotonic_ns, 0.5 us
/// after 50 us without a look. What interrupts it for less than that counts as its own.
std::int64_t processor_ns();

struct VirtualRun {
  std::int64_t elapsed_ns = 0;  ///< until the last rank had done its work
  std::vector<Bytes> heard;     ///< the messages that one rank received, in their order
};

/// Runs `work` of each of so many ranks, with clocks that begin at 0. A stack takes 8 MiB of
/// address space.
/// \param clock  by which what a rank does takes time; where empty none, or a lone rank's real one
/// \param heard_by  the rank whose messages are kept
/// \throws  what the first rank threw that threw anything
VirtualRun run_virtual_ranks(int ranks, const std::function<void(const SearchMessages&)>& work,
                             const VirtualNetwork& network = {}, Clock clock = nullptr,
                             int heard_by = -1);

/// A Clock for the recorders of ranks: the clock of the virtual rank that runs on this thread.
std::int64_t virtual_rank_ns();

}  // namespace cleave::detail
