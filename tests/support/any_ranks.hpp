// SPDX-License-Identifier: Apache-2.0
// At which numbers of ranks a test shows what holds on any.
#pragma once

#include <cstdlib>
#include <vector>

namespace cleave::testing {

/// `./test all` runs these tests a second time, with CLEAVE_ALL_RANKS.
inline bool on_all_ranks() { return std::getenv("CLEAVE_ALL_RANKS") != nullptr; }

/// Not `few`, but all that tests use, where `on_all_ranks`.
inline std::vector<int> any_ranks(std::vector<int> few = {1, 2, 5}) {
  return on_all_ranks() ? std::vector{1, 2, 3, 4, 5, 8} : few;
}

}  // namespace cleave::testing
