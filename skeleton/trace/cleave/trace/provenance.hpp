// SPDX-License-Identifier: Apache-2.0
// Provenance: how a file was made, so that its numbers can be trusted or made again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::detail {

class JsonFields;

struct Provenance {
  std::string program;
  std::string version;
  std::string commit;
  std::string command_line;
  std::string host;
  std::string processor;
  int cores = 0;                          ///< that the process may use
  std::vector<std::int64_t> cache_bytes;  ///< of a core, for data, ascending; none where not known
  std::string mpi_library;                ///< "none" for a program without MPI
  std::string clock;
  std::string created;  ///< UTC, ISO 8601
};

/// Whether the hosts of this `Provenance::mpi_library` are simulated, all ranks in one process:
/// SimGrid's SMPI.
inline bool simulates_hosts(std::string_view library) { return library.starts_with("SMPI"); }

void fields(JsonFields& object, Provenance& provenance);

}  // namespace cleave::detail
