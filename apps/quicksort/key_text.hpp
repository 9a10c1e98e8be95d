// SPDX-License-Identifier: Apache-2.0
// Keys as text: decimal numbers, any number of them on a line.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/quicksort/keys.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::quicksort {

template <class Key>
concept TextKey = VectorKey<Key> && !std::same_as<Key, Record>;

/// The keys on the lines of a slice of `contents`, separated by blanks, tabs, commas or semicolons;
/// lines that begin with '#' have none. `file` is named in messages only.
/// \throws FileError  naming the line: not a number, or none of this kind of key
template <TextKey Key>
std::vector<Key> parse_keys(std::string_view contents, const std::filesystem::path& file,
                            reading::Slice slice = {}) {
  reading::Lines lines(contents, file);
  const auto size = static_cast<std::int64_t>(contents.size());
  const auto end = static_cast<std::size_t>(slice.end(size));
  lines.go_to_line_from(static_cast<std::size_t>(slice.begin(size)));
  std::vector<Key> keys;
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (line.starts_with('#')) {
      continue;
    }
    for (auto field = reading::take_field(line); !field.empty();
         field = reading::take_field(line)) {
      Key key{};
      const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), key);
      if (error == std::errc::result_out_of_range) {
        lines.refuse(fmt::format("{} is out of the range of these keys: choose another --key",
                                 reading::shortened(field)));
      }
      if (error != std::errc{} || rest != field.data() + field.size()) {
        lines.refuse(fmt::format("'{}' is not a number of this kind of key, --key chooses another",
                                 reading::shortened(field)));
      }
      keys.push_back(key);
    }
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
