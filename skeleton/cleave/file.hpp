// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its final name, synced, then renamed.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace cleave {

/// Writes to `path.partial`; `commit` gives the file its name. Without a commit nothing remains.
class AtomicFile {
 public:
  /// \throws FileError  if the folder does not exist or cannot be written to
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \throws FileError  if the disk is full or the write fails otherwise
  void write(std::string_view text);

  /// Syncs the file to disk and renames it to its final name, replacing an older one.
  /// \throws FileError  if it cannot; the older file is then untouched
  void commit();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::FILE* file_ = nullptr;
};

/// Writes `text` to `path`, whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The whole text of `path`. \throws FileError
std::string read_file(const std::filesystem::path& path);

}  // namespace cleave
