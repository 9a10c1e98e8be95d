// SPDX-License-Identifier: Apache-2.0
// Snapshots of a search on disk: every rank writes a part, rank 0 then a manifest that makes them
// valid. docs/reference/formats.md has the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/options.hpp>

namespace cleave::detail {

/// The state of one rank when a snapshot was written; nodes and totals as packed by wire<T>.
struct SnapshotPart {
  std::int64_t generation = 0;
  std::int64_t rank = 0;
  std::vector<std::byte> nodes;
  std::vector<std::byte> totals;  ///< of each worker
  std::int64_t incumbent = 0;
};

/// Keeps other runs out of a folder of snapshots, while the result or its process lives, by a file
/// there that is locked (flock). A file system without locks keeps nobody out.
/// \return  null if another run is in. \throws FileError  if the file cannot be made
std::shared_ptr<const int> lock_folder(const std::filesystem::path& folder);

/// The folder of one search's snapshots, of which the newest is kept. Other files are left alone.
class SnapshotFolder {
 public:
  /// Collective. Makes the folder if it does not exist. Refers to `ranks` and `clock`.
  /// \throws Error  on every rank: it cannot or must not be used, or has a snapshot, not to resume
  SnapshotFolder(const Messages& ranks, const Transport& clock, const CheckpointOptions& options);

  /// The newest snapshot that was there; 0 if there was none.
  std::int64_t resumed_from() const { return resumed_from_; }

  /// The parts of every `ranks.size()`-th rank of then.
  /// \throws Error  if one is damaged, or it is the snapshot of another search
  std::vector<SnapshotPart> read_share() const;

  /// On rank 0: whether it is time for another snapshot.
  bool is_due() const { return now_s() >= due_s_; }

  /// Writes this rank's part of the next snapshot, to the disk. \throws FileError
  void write_part(SnapshotPart part);
  /// On rank 0, once all have written theirs: makes it valid, and once that lasts (fsync of files
  /// and folder) removes all others. \throws FileError
  void complete();

  std::int64_t written() const { return written_; }

 private:
  void open();
  double now_s() const { return static_cast<double>(clock_.pace_ns()) * 1e-9; }

  const Messages& ranks_;
  const Transport& clock_;
  CheckpointOptions options_;
  std::shared_ptr<const int> lock_;  ///< on rank 0
  std::int64_t resumed_from_ = 0;
  std::int64_t newest_ = 0;  ///< the greatest number of any file
  std::int64_t written_ = 0;
  double due_s_ = now_s() + options_.every_s;
};

/// Removes all snapshots in `folder`, but not the folder; nothing if another run uses it.
void remove_snapshots(const std::filesystem::path& folder);

}  // namespace cleave::detail
