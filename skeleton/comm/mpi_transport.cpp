// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <cleave/comm/messages.hpp>
#include <cleave/comm/mpi_transport.hpp>

namespace cleave::detail {

namespace {

constexpr int kTag = 2;  // comm.cpp's messages have 1

}  // namespace

MpiTransport::~MpiTransport() {
  if (std::uncaught_exceptions() > exceptions_) {
    // MPI may still read them.
    [[maybe_unused]] const auto* const kept = new auto(std::move(sent_));
    return;
  }
  for (Sent& sent : sent_) {
    MPI_Waitall(static_cast<int>(sent.pieces.size()), sent.pieces.data(), MPI_STATUSES_IGNORE);
  }
}

void MpiTransport::send(int to, std::vector<std::byte> bytes) {
  for (int has_left = 1; !sent_.empty();) {
    std::vector<MPI_Request>& pieces = sent_.front().pieces;
    check_mpi("MPI_Testall", MPI_Testall(static_cast<int>(pieces.size()), pieces.data(), &has_left,
                                         MPI_STATUSES_IGNORE));
    if (has_left == 0) {
      break;
    }
    sent_.pop_front();
  }
  Sent& sent = sent_.emplace_back(Sent{.bytes = std::move(bytes), .pieces = {}});
  for (std::size_t at = 0; at <= sent.bytes.size(); at += piece_bytes_) {
    const std::size_t count = std::min(piece_bytes_, sent.bytes.size() - at);
    check_mpi("MPI_Isend",
              MPI_Isend(sent.bytes.data() + at, static_cast<int>(count), MPI_BYTE, to, kTag,
                        comm_.handle(), &sent.pieces.emplace_back(MPI_REQUEST_NULL)));
  }
}

std::optional<Message> MpiTransport::receive() {
  for (;;) {
    int there = 0;
    MPI_Status status;
    check_mpi("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, kTag, comm_.handle(), &there, &status));
    if (there == 0) {
      return std::nullopt;
    }
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    const int from = status.MPI_SOURCE;
    auto begun = begun_.extract(from);
    std::vector<std::byte> bytes = begun ? std::move(begun.mapped()) : std::vector<std::byte>();
    const std::size_t at = bytes.size();
    bytes.resize(at + static_cast<std::size_t>(count));
    check_mpi("MPI_Recv", MPI_Recv(bytes.data() + at, count, MPI_BYTE, from, kTag, comm_.handle(),
                                   MPI_STATUS_IGNORE));
    if (static_cast<std::size_t>(count) < piece_bytes_) {
      return Message{.from = from, .bytes = std::move(bytes)};
    }
    begun_.emplace(from, std::move(bytes));
  }
}

std::unique_ptr<Transport> MpiMessages::transport() const {
  return std::make_unique<MpiTransport>(comm_);
}

}  // namespace cleave::detail
