// SPDX-License-Identifier: Apache-2.0
// Which n leaves of a giver may move in one split.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cleave::splitting {

enum class Mode : std::uint8_t {
  sfc,           ///< a prefix or suffix of the giver's leaves along the curve
  any,           ///< any of the giver's leaves
  run,           ///< consecutive leaves of the giver's, along the curve
  subtree,       ///< all the giver's leaves at or below one node
  parent_owned,  ///< any leaves whose parents the giver owns
};

inline constexpr std::array<std::string_view, 5> kModeNames = {"sfc", "any", "run", "subtree",
                                                               "parent_owned"};

constexpr std::string_view name_of(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

constexpr std::optional<Mode> mode_named(std::string_view name) {
  for (std::size_t i = 0; i < kModeNames.size(); ++i) {
    if (kModeNames[i] == name) {
      return static_cast<Mode>(i);
    }
  }
  return std::nullopt;
}

}  // namespace cleave::splitting
