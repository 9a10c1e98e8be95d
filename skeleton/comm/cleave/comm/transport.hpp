// SPDX-License-Identifier: Apache-2.0
// How the ranks of a search send each other messages: MPI's (mpi_transport.hpp), those of virtual
// ranks (virtual_ranks.hpp), or a test's, which may hold messages back. No MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <cleave/comm/waiting.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

struct Message {
  int from = 0;
  std::vector<std::byte> bytes;
};

/// One rank's end. Messages arrive whole and once; those of one sender in the order in which they
/// were sent, those of two in any order, after any time.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Never waits for the receiver.
  virtual void send(int to, std::vector<std::byte> bytes) = 0;
  /// The next message that has arrived, if one has.
  virtual std::optional<Message> receive() = 0;
  /// A clock that never goes back.
  virtual std::int64_t now_ns() const = 0;
  /// The same from any other moment on, and cheap: by what workers pace themselves.
  virtual std::int64_t pace_ns() const { return monotonic_ns(); }
  /// The same, but late by some milliseconds and five times as cheap.
  virtual std::int64_t coarse_ns() const { return coarse_monotonic_ns(); }
  /// Waits a moment, after so many `tries` in a row in which there was nothing to do.
  virtual void pause(int tries, bool is_polite) { pause_thread(tries, is_polite); }
};

}  // namespace cleave::detail
