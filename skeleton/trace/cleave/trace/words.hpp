// SPDX-License-Identifier: Apache-2.0
// Words in messages: counts of things, and what comes from outside.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace cleave::detail {

/// "1 rank", "8 ranks".
inline std::string format_ranks(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

/// `text` with '?' for what a terminal would obey and a line of a table cannot hold: control
/// characters, in UTF-8 also those from U+0080 to U+009F.
inline std::string visible(std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_long_control = c == 0xc2 && next >= 0x80 && next < 0xa0;
    i += is_long_control ? 1 : 0;
    shown += is_control(c) || is_long_control ? '?' : text[i];
  }
  return shown;
}

/// Whether a size may have this name: a letter, then letters, digits and '_', at most 64.
inline bool is_size_name(std::string_view name) {
  constexpr std::size_t kMaxLength = 64;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_allowed = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kMaxLength && is_letter(name.front()) &&
         std::ranges::all_of(name, is_allowed);
}

}  // namespace cleave::detail
