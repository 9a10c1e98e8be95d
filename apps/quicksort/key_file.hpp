// SPDX-License-Identifier: Apache-2.0
// Files of keys and nothing else, little-endian, read and written by all ranks at once (MPI-IO).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>

#include <cleave/comm.hpp>

#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {

/// A file of keys of `key_bytes` each, open for reading on this rank.
class KeyFile {
 public:
  /// \throws FileError  if it cannot be read, is empty or ends within a key
  KeyFile(std::filesystem::path path, std::size_t key_bytes);
  ~KeyFile();
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;

  std::int64_t keys() const { return keys_; }

  /// Keys number first, first + 1, ... A record is its key and then its value.
  /// \throws FileError
  template <class Key>
  void read(std::int64_t first, std::span<Key> keys) const {
    read_bytes(first * static_cast<std::int64_t>(sizeof(Key)), std::as_writable_bytes(keys));
    if constexpr (std::same_as<Key, Record>) {
      for (Record& record : keys) {
        std::swap(record.key, record.value);
      }
    }
  }

 private:
  void read_bytes(std::int64_t at, std::span<std::byte> bytes) const;

  std::filesystem::path path_;
  std::int64_t keys_ = 0;
  MPI_File file_ = MPI_FILE_NULL;
};

/// The keys of a file of 32-bit integers. \throws FileError
std::vector<std::int32_t> read_keys(const std::filesystem::path& path);

/// Refuses an output file that could not be written, before anything is sorted. For one rank.
/// \throws FileError
void check_key_path(const std::filesystem::path& path);

namespace detail {
void write_bytes(const Comm& comm, const std::filesystem::path& path,
                 std::span<const std::byte> mine, bool are_records);
}

/// Writes the ranks' `keys` one after the other to `path`, which appears whole or not at all: it is
/// written beside, synced, and then renamed. Collective. \throws FileError  on every rank
template <class Key>
void write_keys(const Comm& comm, const std::filesystem::path& path, std::span<const Key> keys) {
  detail::write_bytes(comm, path, std::as_bytes(keys), std::same_as<Key, Record>);
}

}  // namespace cleave::quicksort
