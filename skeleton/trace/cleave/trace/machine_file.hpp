// SPDX-License-Identifier: Apache-2.0
// Machine files (*.machine.json): the calibrated latency l and gap g of one machine, with the raw
// samples that they were fitted to. docs/reference/formats.md describes each field,
// docs/explanation/model.md the units.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <cleave/trace.hpp>

namespace cleave::detail {

/// The paper counts 32-bit words.
inline constexpr double kBytesPerWord = 4;

/// The times that one message size took, one a repetition, each the longest over the ranks.
struct MessageSamples {
  std::int64_t message_bytes = 0;  ///< sent, and as many received, by each rank
  bool stable = false;             ///< whether the median is known to 2 %
  std::vector<double> seconds;
};

/// l and g of the messages from one length on, up to the next segment's.
struct MessageSegment {
  double from_bytes = 0;
  double latency_s = 0;  ///< what the line of this segment has at 0 bytes: may be negative
  double latency_error_s = 0;
  double gap_s_per_byte = 0;
  double gap_error_s_per_byte = 0;
};

/// The measurement of one pattern of messages.
struct Communication {
  int ranks = 1;
  int level = 0;                ///< of the hypercube
  bool oversubscribed = false;  ///< more ranks than cores: left out of every fit
  bool between_hosts = false;   ///< whether some message of the pattern leaves its host
  double latency_s = 0;         ///< l: a send or a receive costs l + bytes * g
  double latency_error_s = 0;   ///< standard error of l
  double gap_s_per_byte = 0;    ///< g
  double gap_error_s_per_byte = 0;
  double r_squared = 1;
  /// Between measured lengths: ascending, the first from 0 bytes. Empty: l and g above hold for
  /// every message.
  std::vector<MessageSegment> segments;
  std::vector<MessageSamples> samples;  ///< ascending in message_bytes

  /// The segment of a message of so many bytes.
  MessageSegment segment_of(double message_bytes) const;
  /// l + bytes * g of the message's segment, at least 0.
  double unit_seconds(double message_bytes) const;
};

struct Machine {
  std::string name;
  std::vector<Communication> exchange;  ///< the skeleton's own exchange of pairs, at each level
  Provenance provenance;
};

/// The pattern whose number of ranks, then level, is nearest, of those between hosts where
/// `leaves_host`; null if there is none. Inside a host those between hosts will do. Those of
/// oversubscribed ranks are left out.
/// \param of_any_hosts  whether all stand for both, as in a machine that was written by hand
const Communication* nearest(const std::vector<Communication>& patterns, int ranks, int level,
                             bool leaves_host, bool of_any_hosts);

/// Only `ranks`, `latency_s` and `gap_s_per_byte` must be there: a person may write a machine by
/// hand.
void fields(JsonFields& object, Communication& pattern);
void fields(JsonFields& object, Machine& machine);

/// \throws FileError
void write_machine(const std::filesystem::path& path, const Machine& machine);

/// A file without `provenance` was written by hand.
/// \throws FileError  naming the field
Machine read_machine(const std::filesystem::path& path);

}  // namespace cleave::detail
