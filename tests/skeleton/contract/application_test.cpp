// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/application.hpp>
#include <cleave/call/functors.hpp>

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

TEST(Functors, FiveLambdasAreAnApplication) {
  const auto trivial = [](const int& n) { return n <= 1; };
  const auto divide = [](int n) { return Halves<int>{n / 2, n - n / 2}; };
  const auto conquer = [](int n) { return static_cast<long>(n); };
  const auto combine = [](long a, long b) { return a + b; };
  const auto sequential = [](int n) { return static_cast<long>(n); };
  using App = Functors<int, decltype(trivial), decltype(divide), decltype(conquer),
                       decltype(combine), decltype(sequential)>;
  static_assert(DivideAndConquer<App> && HasSequential<App> && !HasDivideByShare<App>);
  EXPECT_EQ(solve_sequential(App(trivial, divide, conquer, combine, sequential), 37), 37);
}

}  // namespace
}  // namespace cleave
