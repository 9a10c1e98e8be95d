// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <algorithm>
#include <array>
#include <span>

#include <cleave/clock.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave {

namespace {

bool has_simulated_clock() {
  static const bool is_simulated = detail::simulates_hosts(detail::mpi_library());
  return is_simulated;
}

}  // namespace

std::int64_t mpi_time_ns() {
  return has_simulated_clock() ? static_cast<std::int64_t>(MPI_Wtime() * 1e9) : monotonic_ns();
}

std::string mpi_clock_name() { return has_simulated_clock() ? "MPI_Wtime" : "CLOCK_MONOTONIC"; }

std::string detail::mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string library(text.data(), static_cast<std::size_t>(length));
  library.resize(std::min(library.size(), library.find('\n')));
  std::replace(library.begin(), library.end(), '\t', ' ');
  return library;
}

std::vector<std::int64_t> clock_offsets_ns(const Comm& comm) {
  constexpr int kRoundTrips = 20;
  std::vector<std::int64_t> offsets(comm.size(), 0);
  std::int64_t theirs = 0;
  const auto message = std::as_writable_bytes(std::span(&theirs, 1));
  for (int other = 1; other < comm.size(); ++other) {
    if (comm.rank() == 0) {
      std::int64_t fastest = INT64_MAX;
      for (int i = 0; i < kRoundTrips; ++i) {
        const std::int64_t sent = mpi_time_ns();
        comm.send(other, message);
        comm.receive(other, message);
        const std::int64_t received = mpi_time_ns();
        if (received - sent < fastest) {
          fastest = received - sent;
          offsets[other] = theirs - (sent + received) / 2;
        }
      }
    } else if (comm.rank() == other) {
      for (int i = 0; i < kRoundTrips; ++i) {
        comm.receive(0, message);
        theirs = mpi_time_ns();
        comm.send(0, message);
      }
    }
  }
  comm.bcast(std::as_writable_bytes(std::span(offsets)), 0);
  return offsets;
}

}  // namespace cleave
