// SPDX-License-Identifier: Apache-2.0
// Files of keys, little-endian, read and written by all ranks at once (MPI-IO).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <cleave/comm.hpp>

#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {

enum class KeyFormat {
  automatic,  ///< binary, unless the file is text or of a known other kind
  binary,     ///< keys and nothing else
  text,       ///< decimal numbers (key_text.hpp)
};

/// How the keys lie in a file.
struct KeyLayout {
  KeyFormat format = KeyFormat::automatic;
  std::int64_t skipped_bytes = 0;  ///< before the first key
};

/// A binary file of keys of `key_bytes` each, open for reading on this rank.
class KeyFile {
 public:
  /// \throws FileError  if it cannot be read, ends within a key, or is of another kind unless the
  ///                    layout says that it is binary or has something before its keys
  KeyFile(std::filesystem::path path, std::size_t key_bytes, const KeyLayout& layout = {});
  ~KeyFile();
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;

  std::int64_t keys() const { return keys_; }

  /// Keys number first, first + 1, ... A record is its key and then its value.
  /// \throws FileError
  template <class Key>
  void read(std::int64_t first, std::span<Key> keys) const {
    read_bytes(begin_ + first * static_cast<std::int64_t>(sizeof(Key)),
               std::as_writable_bytes(keys));
    if constexpr (std::same_as<Key, Record>) {
      for (Record& record : keys) {
        std::swap(record.key, record.value);
      }
    }
  }

 private:
  void read_bytes(std::int64_t at, std::span<std::byte> bytes) const;

  std::filesystem::path path_;
  std::int64_t begin_ = 0;
  std::int64_t keys_ = 0;
  MPI_File file_ = MPI_FILE_NULL;
};

/// Refuses an output file that could not be written, before anything is sorted. For one rank.
/// \throws FileError
void check_key_path(const std::filesystem::path& path);

/// Writes what the ranks have one after the other to `path`, which appears whole or not at all: it
/// is written beside, synced, and then renamed. Collective. \throws FileError  on every rank
void write_bytes(const Comm& comm, const std::filesystem::path& path,
                 std::span<const std::byte> mine, bool are_records);

/// The same of keys, in binary.
template <class Key>
void write_keys(const Comm& comm, const std::filesystem::path& path, std::span<const Key> keys) {
  write_bytes(comm, path, std::as_bytes(keys), std::same_as<Key, Record>);
}

}  // namespace cleave::quicksort
