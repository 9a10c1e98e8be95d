// SPDX-License-Identifier: Apache-2.0
// Trees of a thousand million nodes and more: `ctest --test-dir build/release -L long`.
#include <gtest/gtest.h>

#include "apps/uts/check.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {
namespace {

class LargeTree : public ::testing::TestWithParam<const char*> {};

TEST_P(LargeTree, IsCountedExactly) {
  const TreeParameters parameters = parse_tree(GetParam());
  const Tree tree(parameters);
  EXPECT_EQ(unlike_known_counts(parameters, search_sequentially(Uts{tree}, whole_tree(tree))),
            std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(OfThousandsOfMillions, LargeTree,
                         ::testing::Values("T1XL", "T2XL", "T1XXL", "T3XXL"));

class TreeByDefinition : public ::testing::TestWithParam<const char*> {};

TEST_P(TreeByDefinition, IsCountedExactly) {
  const TreeParameters parameters = parse_tree(GetParam());
  EXPECT_EQ(unlike_known_counts(parameters, count_by_definition(parameters)), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(OfAHundredMillion, TreeByDefinition,
                         ::testing::Values("T1L", "T2L", "T3L"));

}  // namespace
}  // namespace cleave::uts
