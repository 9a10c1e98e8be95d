// SPDX-License-Identifier: Apache-2.0
// Which share of a row of things one rank takes.
#pragma once

#include <cstdint>

namespace cleave::reading {

/// The share `index` of `count` equal ones.
struct Slice {
  int index = 0;
  int count = 1;

  constexpr std::int64_t begin(std::int64_t total) const { return bound(total, index); }
  constexpr std::int64_t end(std::int64_t total) const { return bound(total, index + 1); }

 private:
  constexpr std::int64_t bound(std::int64_t total, int i) const {
    return total / count * i + total % count * i / count;
  }
};

}  // namespace cleave::reading
