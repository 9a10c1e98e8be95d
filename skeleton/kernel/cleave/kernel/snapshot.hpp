// SPDX-License-Identifier: Apache-2.0
// Snapshots of a search on disk: every rank writes a part, rank 0 then a manifest that makes them
// valid. docs/reference/formats.md has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/kernel/call_options.hpp>

namespace cleave::detail {

/// The state of one rank when a snapshot was written; as packed by wire<T>, one value after the
/// other.
struct SnapshotPart {
  std::vector<std::byte> nodes;
  std::vector<std::byte> totals;  ///< of each worker
  std::int64_t incumbent = 0;
};

/// Keeps other runs out of a folder of snapshots while it or its process lives: a file in the
/// folder, which is locked (flock) and removed at the end.
class FolderLock {
 public:
  /// \throws FileError  if the file cannot be made
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// `unsupported`: the file system has no locks.
  enum class State { held, of_another_run, unsupported };
  State state() const { return state_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  State state_ = State::held;
};

/// The folder of one search's snapshots. Two are kept: the newest, and the whole one before it.
/// Files of other names than theirs are left alone.
class SnapshotFolder {
 public:
  /// Collective. Makes the folder if it does not exist, and reads the newest snapshot that is
  /// whole, shared out over the ranks of now.
  /// \throws Error  on every rank: the folder cannot be used, or another run uses it; it holds a
  ///                snapshot although none is to be resumed, or one of another application or
  ///                instance; it holds snapshots and none is whole
  SnapshotFolder(const Comm& comm, const CheckpointOptions& options);

  /// The snapshot that was read; 0 if there is none.
  std::int64_t resumed_from() const { return resumed_from_; }

  /// This rank's share of its parts, which are given away.
  std::vector<SnapshotPart> take_parts() { return std::move(parts_); }

  /// On rank 0: whether it is time for another snapshot.
  bool is_due(std::int64_t now_ns);

  /// Writes this rank's part of the next snapshot, to the disk. \throws FileError
  void write_part(SnapshotPart part);
  /// On rank 0, once all have written theirs: makes it valid, then removes all but this one and the
  /// whole one before it. \throws FileError
  void complete();

  std::int64_t written() const { return written_; }

 private:
  std::vector<std::int64_t> open();
  std::string read_share(std::int64_t generation);

  Comm comm_;
  CheckpointOptions options_;
  std::unique_ptr<FolderLock> lock_;  ///< on rank 0
  std::int64_t resumed_from_ = 0;
  std::int64_t newest_whole_ = 0;  ///< the snapshot that was read, or the last one written
  std::vector<SnapshotPart> parts_;
  std::int64_t next_generation_ = 1;
  std::int64_t written_ = 0;
  std::optional<std::int64_t> due_ns_;
  bool is_newly_complete_ = false;  ///< is_due was not asked since
};

/// Removes all snapshots in `folder`, but not the folder; nothing if another run uses it.
void remove_snapshots(const std::filesystem::path& folder);

}  // namespace cleave::detail
