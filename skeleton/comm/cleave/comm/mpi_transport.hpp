// SPDX-License-Identifier: Apache-2.0
// The messages of a search over MPI: polled, two-sided. One-sided steals gain nothing with MPICH,
// which moves them only while the victim calls MPI. MPI's counts have 32 bits, so a message goes in
// pieces of 1 GiB, the last of which is shorter; those of one sender arrive in order.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>

namespace cleave::detail {

/// The transport of one search at a time: the ranks part once no message is under way
/// (balancer.hpp).
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const Comm& comm, std::size_t piece_bytes = std::size_t{1} << 30)
      : comm_(comm), piece_bytes_(piece_bytes) {}
  /// Waits until what was sent has left; not where an exception ends the search, since then it may
  /// never leave.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void send(int to, std::vector<std::byte> bytes) override;
  std::optional<Message> receive() override;
  std::int64_t now_ns() const override { return mpi_time_ns(); }

 private:
  struct Sent {
    std::vector<std::byte> bytes;
    std::vector<MPI_Request> pieces;
  };

  Comm comm_;
  const int exceptions_ = std::uncaught_exceptions();
  const std::size_t piece_bytes_;
  std::map<int, std::vector<std::byte>> begun_;  ///< by sender: the pieces that have arrived
  std::deque<Sent> sent_;                        ///< messages that may not have left yet
};

}  // namespace cleave::detail
