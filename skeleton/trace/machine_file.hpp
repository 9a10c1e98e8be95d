// Machine files (*.machine.json): the calibrated latency l and gap g of one machine, with the raw
// samples that they were fitted to. docs/formats.md describes each field, docs/model.md the units.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "skeleton/trace/provenance.hpp"

namespace cleave {

inline constexpr int kMachineVersion = 1;

/// The times that one message size took, one a repetition, each the longest over the ranks.
struct MessageSamples {
  std::int64_t message_bytes = 0;  ///< sent, and as many received, by each rank
  bool stable = false;             ///< whether the median is known to 2 %
  std::vector<double> seconds;
};

/// What calibration measured of one pattern of messages.
struct Communication {
  int ranks = 1;
  int level = 0;                ///< of the pair exchange; 0 for MPI_Alltoallv
  bool oversubscribed = false;  ///< more ranks than cores: left out of every fit
  double latency_s = 0;         ///< l: a send or a receive costs l + bytes * g
  double latency_error_s = 0;   ///< standard error of l
  double gap_s_per_byte = 0;    ///< g
  double gap_error_s_per_byte = 0;
  double r_squared = 0;
  std::vector<MessageSamples> samples;  ///< ascending in message_bytes

  bool stable() const;  ///< whether every median is
};

struct Machine {
  std::string name;
  std::vector<Communication> alltoallv;  ///< as the paper measures: MPI_Alltoallv under full load
  std::vector<Communication> exchange;   ///< the skeleton's own exchange of pairs, at each level
  Provenance provenance;
};

/// The text of a machine file.
std::string to_text(const Machine& machine);

/// \throws FileError
void write_machine(const std::filesystem::path& path, const Machine& machine);

/// \throws FileError  naming the field
Machine read_machine(const std::filesystem::path& path);

}  // namespace cleave
