// SPDX-License-Identifier: Apache-2.0
// Files of keys: little-endian, read and written by all ranks at once (MPI-IO), or text.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>

#include "apps/quicksort/keys.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::quicksort {

enum class KeyFormat {
  automatic,  ///< binary, unless the file is text
  binary,     ///< keys and nothing else
  text,       ///< one decimal number a line (parse_keys)
};

/// A binary file of keys of `key_bytes` each, open for reading on this rank.
class KeyFile {
 public:
  /// \throws FileError  if it cannot be read, ends within a key, or is text unless `format` says
  ///                    that it is binary
  KeyFile(std::filesystem::path path, std::size_t key_bytes,
          KeyFormat format = KeyFormat::automatic);
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

/// Refuses an output file that could not be written, before anything is sorted. For one rank.
/// \throws FileError
void check_key_path(const std::filesystem::path& path);

/// Writes what the ranks have one after the other to `path`, which appears whole or not at all: it
/// is written beside, synced, and then renamed. Collective. \throws FileError  on every rank
void write_bytes(const Comm& comm, const std::filesystem::path& path,
                 std::span<const std::byte> mine, bool are_records);

/// Writes keys in binary.
template <class Key>
void write_keys(const Comm& comm, const std::filesystem::path& path, std::span<const Key> keys) {
  write_bytes(comm, path, std::as_bytes(keys), std::same_as<Key, Record>);
}

template <class Key>
concept TextKey = VectorKey<Key> && !std::same_as<Key, Record>;

/// The keys on the lines of a slice of `contents`: one decimal number each, and nothing else.
/// `file` is named in messages only. \throws FileError  naming the line
template <TextKey Key>
std::vector<Key> parse_keys(std::string_view contents, const std::filesystem::path& file,
                            reading::Slice slice = {}) {
  reading::Lines lines(contents, file);
  const auto size = static_cast<std::int64_t>(contents.size());
  const auto end = static_cast<std::size_t>(slice.end(size));
  lines.go_to_line_from(static_cast<std::size_t>(slice.begin(size)));
  std::vector<Key> keys;
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    Key key{};
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), key);
    if (error == std::errc::result_out_of_range) {
      lines.refuse(fmt::format("{} is out of the range of these keys: choose another --key",
                               reading::shortened(line)));
    }
    if (error != std::errc{} || rest != line.data() + line.size()) {
      lines.refuse(fmt::format("'{}' is not one number of this kind of key, --key chooses another",
                               reading::shortened(line)));
    }
    keys.push_back(key);
  }
  return keys;
}

/// One number a line, which `parse_keys` reads back as the same keys.
template <TextKey Key>
std::string text_of_keys(std::span<const Key> keys) {
  fmt::memory_buffer text;
  for (const Key key : keys) {
    fmt::format_to(std::back_inserter(text), "{}\n", key);
  }
  return fmt::to_string(text);
}

}  // namespace cleave::quicksort
