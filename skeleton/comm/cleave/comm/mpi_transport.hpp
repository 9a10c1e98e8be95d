// SPDX-License-Identifier: Apache-2.0
// The messages of a search over MPI: polled, two-sided. One-sided steals gain nothing with MPICH,
// which moves them only while the victim calls MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>

namespace cleave::detail {

/// Of one search at a time: the ranks part once no message is under way (balancer.hpp).
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const Comm& comm);
  /// Waits until what was sent has left; not where an exception ends the search, since then it may
  /// never leave.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  /// \throws Error  for a message of more than 2^31 - 1 bytes
  void send(int to, std::vector<std::byte> bytes) override;
  std::optional<Message> receive() override;
  std::int64_t now_ns() const override { return mpi_time_ns(); }

 private:
  /// Frees the messages that have left.
  void forget_sent();

  Comm comm_;
  const int exceptions_ = std::uncaught_exceptions();
  // Messages that may not have left yet.
  std::vector<std::vector<std::byte>> sent_;
  std::vector<MPI_Request> requests_;  ///< one each
  std::size_t sent_bytes_ = 0;
};

}  // namespace cleave::detail
