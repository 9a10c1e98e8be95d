// SPDX-License-Identifier: Apache-2.0
// Damaged copies of a text, for fuzzing readers: cut short, bytes changed, pieces doubled or lost.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace cleave::testing {

/// A copy of `text` with one to three damages; which, is decided by `random`.
inline std::string damaged(std::string_view text, std::mt19937& random) {
  constexpr std::string_view kTelling = "{}[]\",:-+.0123456789eEnulltruefalse\n \\";
  std::string copy(text);
  for (auto times = random() % 3 + 1; times > 0 && !copy.empty(); --times) {
    const std::size_t at = random() % copy.size();
    const std::size_t length = std::min<std::size_t>(random() % 40 + 1, copy.size() - at);
    switch (random() % 5) {
      case 0:
        copy.resize(at);
        break;
      case 1:
        copy[at] = static_cast<char>(random());
        break;
      case 2:
        copy[at] = kTelling[random() % kTelling.size()];
        break;
      case 3:
        copy.erase(at, length);
        break;
      default:
        copy.insert(at, std::string(copy, at, length));
        break;
    }
  }
  return copy;
}

}  // namespace cleave::testing
