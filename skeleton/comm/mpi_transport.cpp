// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <cleave/comm/check_mpi.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/comm/mpi_transport.hpp>
#include <cleave/comm/waiting.hpp>

namespace cleave::detail {

namespace {

constexpr int kTag = 2;  // comm.cpp's messages have 1

// As soon as so many sent messages are kept, those that have left are looked for.
constexpr std::size_t kMessagesKept = 16;
constexpr std::size_t kBytesKept = std::size_t{1} << 20;

}  // namespace

MpiTransport::MpiTransport(const Comm& comm, std::size_t piece_bytes)
    : comm_(comm), piece_bytes_(piece_bytes) {}

MpiTransport::~MpiTransport() {
  if (std::uncaught_exceptions() > exceptions_) {
    // MPI may still read them.
    [[maybe_unused]] const auto* const kept = new auto(std::move(sent_));
    return;
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void MpiTransport::send(int to, std::vector<std::byte> bytes) {
  if (sent_.size() >= kMessagesKept || sent_bytes_ >= kBytesKept) {
    forget_sent();
  }
  const auto message = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  sent_bytes_ += message->size();
  for (std::size_t at = 0; at <= message->size(); at += piece_bytes_) {
    const std::size_t count = std::min(piece_bytes_, message->size() - at);
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi("MPI_Isend", MPI_Isend(message->data() + at, static_cast<int>(count), MPI_BYTE, to,
                                     kTag, comm_.handle(), &request));
    sent_.push_back(message);
    requests_.push_back(request);
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

void MpiTransport::forget_sent() {
  int count = 0;
  std::vector<int> left(requests_.size());
  check_mpi("MPI_Testsome", MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(),
                                         &count, left.data(), MPI_STATUSES_IGNORE));
  std::size_t kept = 0;
  sent_bytes_ = 0;
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) {
      sent_bytes_ += sent_[i]->size();
      std::swap(requests_[kept], requests_[i]);
      std::swap(sent_[kept], sent_[i]);
      ++kept;
    }
  }
  requests_.resize(kept);
  sent_.resize(kept);
}

std::unique_ptr<Transport> MpiMessages::transport() const {
  return std::make_unique<MpiTransport>(comm_);
}

}  // namespace cleave::detail
