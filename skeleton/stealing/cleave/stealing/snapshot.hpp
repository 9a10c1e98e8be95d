// SPDX-License-Identifier: Apache-2.0
// Snapshots of a search on disk: every rank writes a part, rank 0 then a manifest that makes them
// valid. docs/reference/formats.md has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <cleave/blocks/call_options.hpp>
#include <cleave/comm.hpp>

namespace cleave::detail {

/// What one rank had when a snapshot was written; as packed by wire<T>, one value after the other.
struct SnapshotPart {
  std::vector<std::byte> nodes;
  std::vector<std::byte> totals;  ///< of each worker
  std::int64_t incumbent = 0;
};

/// The folder of one search's snapshots. The two newest are kept.
class SnapshotFolder {
 public:
  /// Collective. Makes the folder if it does not exist.
  /// \throws Error  on every rank: the folder cannot be used, holds a snapshot although none is to
  ///                be resumed, or one of another application, instance or version
  SnapshotFolder(const Comm& comm, const CheckpointOptions& options);

  /// The newest snapshot that was found, shared out over the ranks of now; 0 if there is none.
  std::int64_t resumed_from() const { return resumed_from_; }

  /// This rank's share of the parts of that snapshot. Collective.
  /// \throws Error  on every rank, if a part is missing or damaged
  std::vector<SnapshotPart> restore() const;

  /// On rank 0: whether it is time for another snapshot.
  bool is_due(std::int64_t now_ns);

  /// Writes this rank's part of the next snapshot, to the disk. \throws FileError
  void write_part(std::span<const std::byte> nodes, std::span<const std::byte> totals,
                  std::int64_t incumbent);
  /// On rank 0, once all have written theirs: makes it valid, then removes the third newest.
  /// \throws FileError
  void complete(std::int64_t now_ns);

  std::int64_t written() const { return written_; }

 private:
  struct Part {
    std::int64_t bytes = 0;
    std::uint64_t checksum = 0;
  };
  struct Manifest {
    std::int64_t generation = 0;
    std::vector<Part> parts;
  };

  void open();
  Manifest read_manifest(std::int64_t generation) const;
  SnapshotPart read_part(std::int64_t generation, int rank, const Part& expected) const;
  std::filesystem::path manifest_path(std::int64_t generation) const;
  std::filesystem::path part_path(std::int64_t generation, int rank) const;

  Comm comm_;
  CheckpointOptions options_;
  std::int64_t resumed_from_ = 0;
  std::int64_t next_generation_ = 1;
  std::int64_t written_ = 0;
  std::int64_t due_ns_ = kNotStarted;

  static constexpr std::int64_t kNotStarted = -1;
};

/// Removes all snapshots in `folder`, once nobody needs them any more; not the folder.
void remove_snapshots(const std::filesystem::path& folder);

}  // namespace cleave::detail
