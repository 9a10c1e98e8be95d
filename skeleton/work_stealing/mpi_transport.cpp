#include "skeleton/work_stealing/mpi_transport.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "skeleton/error.hpp"

namespace cleave {

namespace {

constexpr int kTag = 2;  // comm.cpp's messages have 1

void check(const char* call, int code) {
  if (code != MPI_SUCCESS) {
    throw MpiError(call, code);
  }
}

}  // namespace

MpiTransport::MpiTransport(const Comm& comm) : comm_(comm) {}

MpiTransport::~MpiTransport() {
  for (Sent& sent : sent_) {
    MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  }
}

void MpiTransport::send(int to, std::vector<std::byte> bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(fmt::format("a message of {} bytes is too long", bytes.size()));
  }
  forget_sent();
  Sent& sent = sent_.emplace_back(Sent{.bytes = std::move(bytes)});
  check("MPI_Isend", MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to,
                               kTag, comm_.handle(), &sent.request));
}

std::optional<Message> MpiTransport::receive() {
  forget_sent();  // what has not left yet may need a call to go on
  int there = 0;
  MPI_Status status;
  check("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, kTag, comm_.handle(), &there, &status));
  if (there == 0) {
    return std::nullopt;
  }
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  Message message{.from = status.MPI_SOURCE, .bytes = std::vector<std::byte>(count)};
  check("MPI_Recv", MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.from, kTag,
                             comm_.handle(), MPI_STATUS_IGNORE));
  return message;
}

void MpiTransport::forget_sent() {
  while (!sent_.empty()) {
    int left = 0;
    check("MPI_Test", MPI_Test(&sent_.front().request, &left, MPI_STATUS_IGNORE));
    if (left == 0) {
      return;
    }
    sent_.pop_front();
  }
}

}  // namespace cleave
