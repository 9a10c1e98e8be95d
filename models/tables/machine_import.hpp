// SPDX-License-Identifier: Apache-2.0
// Machines that one cannot log in to, from what the OSU micro-benchmarks printed there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/latency_gap.hpp"

namespace cleave::models {

/// One table that an OSU micro-benchmark printed.
struct OsuTable {
  enum class Kind {
    latency,    ///< osu_latency: us of one message, one way
    bandwidth,  ///< osu_bw: MB/s (1e6 bytes) one way, many messages under way
    alltoallv,  ///< osu_alltoallv: us of the whole call; the size is that for each other rank
  };
  struct Row {
    double message_bytes = 0;
    double value = 0;
  };
  Kind kind = Kind::latency;
  std::vector<Row> rows;  ///< ascending in message_bytes; those of 0 bytes are left out
};

/// Reads the output of osu_latency, osu_bw or osu_alltoallv: lines of comment that name the test,
/// then a size and a value a line. Further columns are not looked at.
/// \throws FileError  naming the line
OsuTable read_osu_table(const std::filesystem::path& file);

struct OsuFiles {
  std::filesystem::path latency;    ///< may be empty
  std::filesystem::path bandwidth;  ///< of messages longer than those of `latency`; may be empty
  std::filesystem::path alltoallv;  ///< may be empty
  int ranks = 2;                    ///< that osu_alltoallv ran on
  bool between_hosts = true;        ///< whether the ranks were on different hosts
  /// Whether two messages that cross each other take as long as one. If not, as long as two.
  bool full_duplex = true;
  std::string name;
};

/// l and g as cleave-calibrate would have fitted them: osu_latency and osu_bw give the exchange of
/// 2 ranks, osu_alltoallv the entry of `ranks`. \throws UsageError  if neither latency nor
/// alltoallv is given \throws FileError   also if a file holds another test, or too few sizes
detail::Machine import_machine(const OsuFiles& files);

}  // namespace cleave::models
