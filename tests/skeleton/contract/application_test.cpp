// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/application.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

static_assert(DivideAndConquer<examples::Mergesort>);
static_assert(DivideAndConquer<examples::Concatenate>);
static_assert(HasDivideByShare<examples::Concatenate> && !HasSequential<examples::Concatenate>);

TEST(SolveSequential, CallsEachFunctorOnceForEachNodeOfAFullTree) {
  constexpr int kLeaves = 64;
  examples::CountCalls::Calls calls;
  EXPECT_EQ(solve_sequential(examples::CountCalls{&calls}, {0, kLeaves}),
            kLeaves * (kLeaves - 1) / 2);
  EXPECT_EQ(calls.divide, kLeaves - 1);
  EXPECT_EQ(calls.combine, kLeaves - 1);
  EXPECT_EQ(calls.conquer, kLeaves);
  EXPECT_EQ(calls.sequential, 0);
}

TEST(SolveSequential, KeepsTheOrderOfTheHalves) {
  EXPECT_EQ(solve_sequential(examples::Concatenate{}, {"a", "b", "c", "d", "e"}), "abcde");
}

/// The path to each leaf, and what `after` adds; one part, several or deep chains.
struct Paths {
  using Problem = std::string;
  using Solution = std::string;
  std::size_t depth = 3;

  bool trivial(const Problem& p) const { return p.size() >= depth; }
  Solution conquer(const Problem& p) const { return p.substr(p.size() - 1); }
  std::vector<Problem> divide(const Problem& p) const {
    return p.empty() ? std::vector<Problem>{"a", "b", "c"} : std::vector<Problem>{p + "d"};
  }
  Solution combine(const Solution& left, const Solution& right) const { return left + right; }
  Solution after(const Problem& p, const Solution& solution) const {
    return solution + std::to_string(p.size() % 10);
  }
};
struct PathsAtOnce : Paths {
  Solution combine(const std::vector<Solution>& parts) const {
    Solution all = "(";
    for (const Solution& part : parts) {
      all += part;
    }
    return all + ")";
  }
};

TEST(SolveSequential, CombinesManyInOrderAndThenWorksOnTheParent) {
  static_assert(HasAfter<Paths> && !HasCombineOfMany<Paths> && HasCombineOfMany<PathsAtOnce>);
  EXPECT_EQ(solve_sequential(Paths{}, ""), "d21d21d210");
  EXPECT_EQ(solve_sequential(PathsAtOnce{}, ""), "(((d)2)1((d)2)1((d)2)1)0");
}

TEST(SolveSequential, WorksOnParentsAtAnyDepth) {
  const std::string solution = solve_sequential(Paths{.depth = 301}, "");
  EXPECT_EQ(solution.size(), 3U * 301U + 1U);
  EXPECT_TRUE(solution.starts_with("d0987654321098")) << solution.substr(0, 20);
}

}  // namespace
}  // namespace cleave
