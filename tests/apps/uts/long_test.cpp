// SPDX-License-Identifier: Apache-2.0
// Trees of a hundred million nodes by their definition, of a thousand million and more by the
// search: `ctest --test-dir build/release -L long`.
#include <gtest/gtest.h>

#include "apps/uts/check.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {
namespace {

TEST(LargeTrees, AreCountedExactly) {
  for (const char* name : {"T1L", "T2L", "T3L", "T1XL", "T2XL", "T1XXL", "T3XXL"}) {
    const TreeParameters parameters = parse_tree(name);
    const Tree tree(parameters);
    const bool is_small = known_counts(parameters).value().nodes < 200'000'000;
    EXPECT_EQ(unlike_known_counts(parameters,
                                  is_small ? count_by_definition(parameters)
                                           : search_sequentially(Uts{tree}, whole_tree(tree))),
              std::nullopt);
  }
}

}  // namespace
}  // namespace cleave::uts
