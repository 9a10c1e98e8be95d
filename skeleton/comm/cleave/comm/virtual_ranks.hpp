// SPDX-License-Identifier: Apache-2.0
// The ranks of a call in one process, each with a clock of its own (docs/explanation/model.md,
// "Rehearsals"). They are fibers that take turns: one goes on until it asks for a message, then
// whichever is furthest behind does. A rank's clock goes on by what its work takes here, and by
// what it waits for messages, which a network delays.
//
// No rank is ahead of another by more than a message takes at least when it asks for messages, so
// none comes too late.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/hosts.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::detail {

class Fiber;
class VirtualRanks;

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

/// One of the ranks, as Comm is one of MPI.
class VirtualMessages final : public SearchMessages {
 public:
  VirtualMessages(VirtualRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override;
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override;
  void exchange(std::span<const Comm::Outbound> out,
                std::span<const Comm::Inbound> in) const override;
  void send(int to, std::span<const std::byte> message) const override;
  void receive(int from, std::span<std::byte> message) const override;
  void allreduce_min(std::span<std::int64_t> values) const override;
  std::string bcast(std::string text, int root) const override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override;
  std::unique_ptr<Transport> transport() const override;
  /// The other ranks of its host, all equally near.
  Surroundings surroundings(int threads, bool is_bound) const override;

 private:
  VirtualRanks& ranks_;
  int rank_;
};

class VirtualRanks {
 public:
  /// \param clock     by which what a rank does takes time; none where it is empty
  /// \param heard_by  a rank whose received messages are kept
  explicit VirtualRanks(int ranks, VirtualNetwork network = {}, Clock clock = nullptr,
                        int heard_by = -1);
  ~VirtualRanks();

  /// Runs `work` of every rank, with clocks that begin at 0. A stack takes 8 MiB of address space.
  /// \throws  what the first rank threw that threw anything
  void run(const std::function<void(const VirtualMessages&)>& work);

  /// The time at which the last rank had done its work.
  std::int64_t elapsed_ns() const { return elapsed_ns_; }
  /// The messages that `heard_by` received, in their order.
  std::vector<Bytes> take_heard() { return std::move(heard_); }

  /// A Clock for the recorders of ranks: the clock of the rank that runs on this thread.
  static std::int64_t now_ns();

 private:
  friend class VirtualMessages;
  friend class VirtualTransport;

  enum Kind : std::uint8_t { kOfCall, kOfSearch };
  struct InFlight {
    std::int64_t arrives_ns = 0;
    std::int64_t number = 0;  ///< of all messages
    Bytes bytes;
  };
  struct Rank {
    std::unique_ptr<Fiber> fiber;
    std::int64_t clock_ns = 0;
    std::optional<int> waits_for;                                ///< a rank; of kind kOfCall
    std::array<std::map<int, std::deque<InFlight>>, 2> inboxes;  ///< by kind and sender, none empty
  };
  /// The clock of the rank that runs stands while this lives: VirtualRanks works.
  class Pause;

  /// The clock of the rank that runs goes on by what `clock_` has since the last look.
  void look();
  void let_others_catch_up();
  void switch_away();
  void fail_with_others() const;
  void wake(int rank);
  void send(int from, int to, Kind kind, std::span<const std::byte> message);
  Bytes receive(int from, int to);
  std::optional<Message> poll(int rank);
  void spend(std::int64_t ns);
  Bytes take(Rank& rank, Kind kind, int from);

  const VirtualNetwork network_;
  const Clock clock_;
  const int heard_by_;
  std::int64_t look_ns_ = 0;       ///< of a look at the clock
  std::int64_t lookahead_ns_ = 0;  ///< of the fastest message
  std::vector<Rank> ranks_;
  int running_ = 0;
  std::int64_t looked_ns_ = 0;                 ///< by `clock_`
  using Ready = std::pair<std::int64_t, int>;  // clock, rank
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>>
      ready_;  ///< all but the running one
  std::int64_t messages_ = 0;
  std::int64_t elapsed_ns_ = 0;
  std::vector<Bytes> heard_;
  std::exception_ptr failure_;
};

}  // namespace cleave::detail
