// SPDX-License-Identifier: Apache-2.0
// The ranks of a call in one process, each with a clock of its own (docs/explanation/model.md,
// "Rehearsals"). They are fibers that take turns: one goes on until it asks for a message, then
// whichever is furthest behind does. A rank's clock goes on by what its work takes here, and by
// what it waits for messages, which a network delays.
//
// No rank is ahead of another by more than a message takes at least when it asks for messages, so
// none comes too late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
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

  int host_of(int rank) const { return rank / ranks_per_host; }
  /// One way: 2 (l + g bytes), the time of an exchange (eq. 9).
  std::int64_t delay_ns(int from, int to, std::size_t bytes) const;
};

/// The network of a machine for so many ranks. \throws UsageError  if it lacks what they need
VirtualNetwork network_of(const Machine& machine, int ranks, int ranks_per_host);

/// The time that this thread has had a processor, from any moment on. Cost: as monotonic_ns, 0.5 us
/// after 50 us without a look. What interrupts it for less than that counts as its own.
std::int64_t processor_ns();

class VirtualRanks {
 public:
  /// \param clock     by which what a rank does takes time; none where it is empty
  /// \param heard_by  a rank whose received messages are kept
  explicit VirtualRanks(int ranks, const VirtualNetwork& network = {}, Clock clock = nullptr,
                        int heard_by = -1)
      : size_(ranks), network_(network), clock_(clock), heard_by_(heard_by) {}

  /// Runs `work` of every rank, with clocks that begin at 0. A stack takes 8 MiB of address space.
  /// \throws  what the first rank threw that threw anything
  void run(const std::function<void(const SearchMessages&)>& work);

  /// The time at which the last rank had done its work.
  std::int64_t elapsed_ns() const { return elapsed_ns_; }
  /// The messages that `heard_by` received, in their order.
  std::vector<Bytes> take_heard() { return std::move(heard_); }

  /// A Clock for the recorders of ranks: the clock of the rank that runs on this thread.
  static std::int64_t now_ns();

 private:
  const int size_;
  const VirtualNetwork network_;
  const Clock clock_;
  const int heard_by_;
  std::int64_t elapsed_ns_ = 0;
  std::vector<Bytes> heard_;
};

}  // namespace cleave::detail
