// SPDX-License-Identifier: Apache-2.0
// The ranks of a call in one process: threads of which one at a time runs. Their messages stay in
// memory. For what is to be as on so many ranks, not as fast.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/hypercube/played_messages.hpp>

namespace cleave::detail {

class VirtualRanks;

/// Of one of them, what Comm is of a rank of MPI.
class VirtualMessages {
 public:
  VirtualMessages(VirtualRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}

  int rank() const { return rank_; }
  int size() const;
  void exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) const;
  void exchange(std::span<const Comm::Outbound> out, std::span<const Comm::Inbound> in) const;
  void send(int to, std::span<const std::byte> message) const;
  void receive(int from, std::span<std::byte> message) const;
  void allreduce_min(std::span<std::int64_t> values) const;
  std::string bcast(std::string text, int root) const;

 private:
  VirtualRanks& ranks_;
  int rank_;
};
static_assert(Messages<VirtualMessages>);

class VirtualRanks {
 public:
  /// \param heard_by  a rank whose received messages are kept
  VirtualRanks(int ranks, int heard_by) : heard_by_(heard_by), arrived_(ranks) {}

  /// Runs `work` of every rank, each on a thread of its own, one at a time.
  /// \throws  what the first rank threw that threw anything
  void run(const std::function<void(const VirtualMessages&)>& work);

  /// What `heard_by` received, in its order.
  std::vector<Bytes> take_heard() { return std::move(heard_); }

 private:
  friend class VirtualMessages;

  void send(int from, int to, std::span<const std::byte> message);
  Bytes receive(int from, int to);
  void fail();

  const int heard_by_;
  std::mutex running_;  ///< held by the rank that runs
  std::vector<std::condition_variable> arrived_;
  std::map<std::pair<int, int>, std::deque<Bytes>> messages_;  ///< by sender and receiver
  std::vector<Bytes> heard_;
  std::exception_ptr failure_;
};

}  // namespace cleave::detail
