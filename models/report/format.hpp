// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace cleave::models {

/// The paper counts 32-bit words.
inline constexpr double kBytesPerWord = 4;

/// Seconds with four digits that count: "1.916", "0.01234", "2.300e-06".
inline std::string format_seconds(double seconds) {
  return seconds == 0 || (seconds >= 1e-4 && seconds < 1e5) ? fmt::format("{:#.4g}", seconds)
                                                            : fmt::format("{:.3e}", seconds);
}

}  // namespace cleave::models
