// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its final name, synced, then renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace cleave {

/// Whether `path`, as an output, stands for standard output: "-".
bool is_standard_output(const std::filesystem::path& path);

/// The output that `path` stands for: a symbolic link is followed, also one whose target does not
/// exist yet; not one to a device or a FIFO, such as /dev/stdout.
///
/// \throws FileError  if links go round in a circle
std::filesystem::path followed(const std::filesystem::path& path);

/// Refuses an output that could not be written, and changes nothing.
///
/// \throws FileError  if it is a folder or a file that may not be written, or its folder does not
///                    exist or cannot be written to
void check_writable(const std::filesystem::path& path);

/// A new, empty file beside `path`, named `path.RANDOM.partial`, which is to be renamed to it. Its
/// name is no other file's, nor a link's. It has the owner and permissions of what is at `path`,
/// else those of any new file.
///
/// \throws FileError
std::filesystem::path make_file_beside(const std::filesystem::path& path);

/// A new folder beside `path`, which has the permissions of any new folder. \throws FileError
std::filesystem::path make_folder_beside(const std::filesystem::path& path);

/// Writes what `commit` gives the name `path`, with the permissions of the file that it replaces.
/// Without a commit nothing remains; of a process that is killed a file `path.RANDOM.partial`.
/// Standard output is written directly. A symbolic link is followed. What is there and is no
/// regular file, such as a device or a FIFO, is written in place.
class AtomicFile {
 public:
  /// Waits for a reader if `path` is a FIFO.
  ///
  /// \throws FileError  if the folder does not exist or cannot be written to
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \throws FileError  if the disk is full or the write fails otherwise
  void write(std::string_view text);

  /// Syncs the file to disk and renames it to its final name, replacing an older one.
  /// \param syncs  whether it is to outlive a loss of power
  /// \throws FileError  if it cannot; the older file is then untouched
  void commit(bool syncs = true);

 private:
  [[noreturn]] void fail(const char* action) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;  ///< its name until then; empty if it is written in place
  std::FILE* file_ = nullptr;
};

/// Writes `text` to `path`, whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The whole text of `path`. \throws FileError
std::string read_file(const std::filesystem::path& path);

namespace detail {

/// CRC-64 of ECMA-182, as in the xz format; of different contents the same once in 2^64.
std::uint64_t crc_64(std::span<const std::byte> bytes);
std::uint64_t crc_64(std::string_view text);

/// 16 digits.
std::string hexadecimal(std::uint64_t number);

}  // namespace detail

}  // namespace cleave
