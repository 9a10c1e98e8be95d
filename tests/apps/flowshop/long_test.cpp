// SPDX-License-Identifier: Apache-2.0
// Searches of tens of millions of nodes: `ctest --test-dir build/release -L long`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apps/flowshop/heuristic.hpp"
#include "apps/flowshop/search.hpp"
#include "apps/flowshop/taillard.hpp"

namespace cleave::flowshop {
namespace {

TEST(LongSearch, OfTa022ExploresAsManyNodesAsOtherPrograms) {
  const Instance instance = taillard_instance("ta022");
  const SearchResult result = search_depth_first(
      Brancher(instance, Bound::lb1, Branching::min_branch), instance.best_known.value());
  EXPECT_EQ(result.explored, 45'955'963);
}

/// The heuristic does not know the optimum here, so that the search has to prove or to improve it.
TEST(LongSearch, OfTa001ToTa020FromAHeuristicEndsWithTheKnownOptimum) {
  for (int number = 1; number <= 20; ++number) {
    const Instance instance = taillard_instance(fmt::format("ta{:03}", number));
    const Schedule start = iterated_greedy(instance, 1, 500);
    const SearchResult result =
        search_depth_first(Brancher(instance, Bound::lb1, Branching::min_branch), start.makespan);
    EXPECT_EQ(result.makespan, instance.best_known) << instance.name;
  }
}

}  // namespace
}  // namespace cleave::flowshop
