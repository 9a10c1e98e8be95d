// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its final name, synced, then renamed.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace cleave {

/// Whether `path`, as an output, stands for standard output: "-".
bool is_standard_output(const std::filesystem::path& path);

/// Refuses an output that could not be written, and changes nothing.
///
/// \throws FileError  if it or its folder cannot be written to, or links go round in a circle
void check_writable(const std::filesystem::path& path);

/// A new folder beside `path`, named `path.RANDOM.partial`. \throws FileError
std::filesystem::path make_folder_beside(const std::filesystem::path& path);

/// Writes what `commit` gives the name `path`, with the owner and permissions of the file that it
/// replaces. Without a commit nothing remains; of a process that is killed `path.RANDOM.partial`. A
/// symbolic link is followed, also one whose target does not exist yet. What is no regular file,
/// such as standard output, a device or a FIFO, is written in place.
class AtomicFile {
 public:
  /// Waits for a reader if `path` is a FIFO. \throws FileError  as `check_writable`
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The file that others may write until `commit`.
  const std::filesystem::path& written() const { return partial_.empty() ? path_ : partial_; }

  /// \throws FileError  if the disk is full or the write fails otherwise
  void write(std::string_view text);

  /// Syncs the file to disk and renames it to its final name, replacing an older one.
  /// \throws FileError  if it cannot; the older file is then untouched
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;  ///< its name until then; empty if it is written in place
  std::FILE* file_ = nullptr;
};

/// Writes `text` to `path`, whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The text of `path`, to its end or for about `most` bytes. \throws FileError
std::string read_file(const std::filesystem::path& path, std::size_t most = std::string::npos);

namespace detail {

/// fsync of a file or folder of that name. The check of schedules plays a power cut in its place.
inline thread_local std::function<int(int file, const std::filesystem::path& path)> sync =
    [](int file, const std::filesystem::path& /*path*/) { return ::fsync(file); };

/// CRC-64 of ECMA-182, as in the xz format; of different contents the same once in 2^64.
std::uint64_t crc_64(std::span<const std::byte> bytes);

/// The content of a file, to be compared: its checksum; of one above 64 MiB that of its beginning,
/// its length and when it was written. \throws FileError
std::string content_of(const std::filesystem::path& path);

}  // namespace detail

}  // namespace cleave
