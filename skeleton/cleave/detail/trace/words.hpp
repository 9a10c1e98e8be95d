// SPDX-License-Identifier: Apache-2.0
// Counts of things in messages.
#pragma once

#include <fmt/format.h>

#include <string>

namespace cleave::detail {

/// "1 rank", "8 ranks".
inline std::string format_ranks(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

}  // namespace cleave::detail
