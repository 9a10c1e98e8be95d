// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/input.hpp"

namespace cleave::quicksort {

Keys make_keys(KeyOrder order, std::int64_t count, std::uint64_t seed) {
  Keys keys(static_cast<std::size_t>(count));
  GeneratedKeys<std::int32_t>(order, count, seed).fill(0, keys);
  return keys;
}

}  // namespace cleave::quicksort
