// SPDX-License-Identifier: Apache-2.0
// The examples' functors are right, by every executor on virtual ranks; by MPI in programs_test.
#include <gtest/gtest.h>

#include <cleave/check.hpp>

#include "tests/apps/examples/independent.hpp"

namespace cleave::examples {
namespace {

const std::vector<std::string> kNothing;

/// On one rank `app` finds what an `independent` method does, and the executors that as well.
template <class App, class Independent, class Found = std::identity>
void expect_right(const App& app, const std::vector<typename App::Problem>& problems,
                  const Independent& independent, Found found = {}) {
  for (const auto& problem : problems) {
    const auto solution = [&] {
      if constexpr (DivideAndConquer<App>) {
        return solve_sequential(app, detail::copy_of(problem));
      } else {
        return search_sequentially(app, problem);
      }
    }();
    EXPECT_EQ(std::invoke(found, solution), independent(problem));
  }
  const auto same = [&](const auto& a, const auto& b) {
    return std::invoke(found, a) == std::invoke(found, b);
  };
  EXPECT_EQ(check(app, problems, {.schedules = 20}, same), kNothing);
}

template <class Make>
auto of_lengths(const Make& make) {
  std::vector<decltype(make(0))> problems;
  for (const std::size_t length : kLengths) {
    problems.push_back(make(length));
  }
  return problems;
}

TEST(Functors, AreRightByEveryExecutor) {
  for (const int distinct : {1, 2, 10, 1'000'000}) {
    expect_right(Mergesort{}, of_lengths([&](auto n) { return random_numbers(n, distinct, 7); }),
                 [](const auto& numbers) { return sorted(numbers); });
  }
  expect_right(Karatsuba{}, of_lengths([](auto n) { return random_product(n, 1); }), schoolbook);
  // Far apart, on a few vertical or horizontal lines, and many equal.
  for (const auto& [x, y] : {std::pair{1'000'000'000U, 1'000'000'000U},
                             {1U, 100'000U},
                             {100'000U, 1U},
                             {5U, 1000U},
                             {1U, 1U}}) {
    expect_right(ClosestPair{}, of_lengths([&](auto n) { return random_points(n, x, y, 1); }),
                 closest_of_all, &ClosestPair::Solution::distance2);
  }
  expect_right(Histogram{}, of_lengths(random_bytes), counts_of);
  for (int n = 0; n <= 7; ++n) {
    expect_right(
        Queens{}, {empty_board(n)}, [&](const auto&) { return kQueens[n]; },
        &Queens::Solution::solutions);
    expect_right(
        AllQueens{}, {{.board = empty_board(n), .columns = {}}},
        [&](const auto&) { return all_placements(n); }, &AllQueens::Solution::all);
  }
  for (unsigned seed = 1; seed <= 16; ++seed) {
    const KnapsackProblem problem = random_knapsack(seed % 10, seed % 3 == 0 ? 3 : 50, seed);
    expect_right(
        problem.app, {problem.empty},
        [&](const auto&) { return best_sets(problem, 1).begin()->value; },
        &Knapsack::Solution::value);
    for (const std::size_t k : {1, 3, 10}) {
      expect_right(
          BestFillings{problem.app, k}, {{.filling = problem.empty}},
          [&](const auto&) { return best_sets(problem, k); }, &BestFillings::Solution::sets);
    }
  }
  for (const unsigned distinct : {1U, 10U, 100'000U}) {
    const auto parts = of_lengths([&](auto n) { return random_readings(n, distinct, 3); });
    std::vector<Part<Reading>> problems;
    for (const auto& part : parts) {
      problems.emplace_back(std::span(part));
    }
    EXPECT_EQ(check(RecordSort{}, problems, {.schedules = 20}), kNothing);
  }
}

TEST(Karatsuba, ThreeProductsOfHalfTheLengthAreItsWork) {
  const Karatsuba app;
  const auto work = [&app](const Product& p) { return (app.sizes(p).begin() + 1)->value; };
  const Product whole = random_product(1024, 1);
  const std::vector<Product> parts = app.divide(whole);
  EXPECT_EQ(parts.size(), 3U);
  for (const Product& part : parts) {
    EXPECT_EQ(work(part), work(whole) / 3);
  }
}

TEST(ClosestPair, StripsOfRandomPointsAreShort) {
  const ClosestPair app;
  const auto solution =
      solve_sequential(app, random_points(10'000, 1'000'000'000, 1'000'000'000, 1));
  EXPECT_LT(solution.left.size() + solution.right.size(), 50U);
}

TEST(Queens, NodesAreTheWaysToPlaceTheFirstOnes) {
  // 4 queens: the empty board, 4 with one, 6 with two, 4 with three and 2 with all.
  EXPECT_EQ(search_sequentially(Queens{}, empty_board(4)), (Count{.nodes = 17, .solutions = 2}));
}

TEST(Knapsack, BoundIsNeverExceeded) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const KnapsackProblem problem = random_knapsack(9, 50, seed);
    EXPECT_GE(problem.app.bound(problem.empty), best_sets(problem, 1).begin()->value) << seed;
  }
}

TEST(RecordSort, SamplesAreOfThePartAndTheSplitterIsTheirQuantile) {
  const RecordSort app;
  for (const std::size_t length : kLengths) {
    const auto readings = random_readings(length, 1000, 5);
    for (int left = 1; left < 5 && length > 0; ++left) {
      EXPECT_EQ(app.splitter(readings, {.left = left, .total = 5}).splitter,
                sorted(readings)[length * static_cast<std::size_t>(left) / 5]);
    }
    const auto samples = app.sample(readings, length / 2, 1);
    EXPECT_EQ(samples.size(), length / 2);
    for (const Reading& sample : samples) {
      EXPECT_NE(std::ranges::find(readings, sample), readings.end());
    }
  }
}

TEST(RecordSort, PartitionPutsTheSidesInOrder) {
  for (const unsigned distinct : {1, 2, 10, 100'000}) {
    const auto readings = random_readings(257, distinct, 9);
    const Split<Reading> split = {.splitter = readings[100]};
    for (const ClassOrder order : {ClassOrder::ascending, ClassOrder::descending}) {
      const auto comes_first = [&](const Reading& r) {
        return before(r, split.splitter) == (order == ClassOrder::ascending);
      };
      auto part = readings;
      const auto [less, equal] = RecordSort{}.partition(part, split, order);
      EXPECT_EQ(std::ranges::partition_point(part, comes_first) - part.begin(),
                static_cast<std::ptrdiff_t>(order == ClassOrder::ascending ? less : 257 - less));
      EXPECT_EQ(equal, 0U);
      EXPECT_TRUE(std::ranges::is_partitioned(part, comes_first));
      EXPECT_EQ(sorted(part), sorted(readings));
    }
  }
}

}  // namespace
}  // namespace cleave::examples
