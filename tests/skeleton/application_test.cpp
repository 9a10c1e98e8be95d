// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/detail/call/functors.hpp>

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

/// Mergesort with one promise broken.
struct ForgetsTheLast : examples::Mergesort {
  std::vector<int> sequential(std::vector<int> p) const {
    p.pop_back();
    return p;
  }
};
struct SwapsHalves : examples::Concatenate {
  std::string combine(std::string left, std::string right) const { return right + left; }
  std::string sequential(std::vector<std::string> p) const {
    std::string all;
    for (const std::string& word : p) {
      all += word;
    }
    return all;
  }
};
struct DividesAtRandom : examples::Mergesort {
  Halves<std::vector<int>> divide(std::vector<int> p) const {
    static int calls = 0;
    const auto middle = p.begin() + 1 + ++calls % 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
};

TEST(Check, FindsNothingWrongWithGoodApplications) {
  EXPECT_TRUE(check(examples::Mergesort{}, {{}, {1}, {3, 1, 2}, {5, 5, 5, 5, 1, -7}}).empty());
  EXPECT_TRUE(check(examples::Concatenate{}, {{}, {"a"}, {"a", "b", "c", "d"}}).empty());
}

TEST(Check, NamesTheBrokenPromise) {
  const auto first = [](const std::vector<std::string>& broken) {
    return broken.empty() ? "nothing" : broken.front();
  };
  EXPECT_EQ(first(check(ForgetsTheLast{}, {{3, 1, 2}})),
            "problem 0: sequential returns another solution than conquer, divide and combine");
  EXPECT_EQ(first(check(SwapsHalves{}, {{"a"}, {"a", "b"}})),
            "problem 1: sequential returns another solution than conquer, divide and combine");
  EXPECT_EQ(first(check(DividesAtRandom{}, {{3, 1, 2, 9}})),
            "problem 0: divide is not deterministic");
}

}  // namespace
}  // namespace cleave
