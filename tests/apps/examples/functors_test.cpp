// SPDX-License-Identifier: Apache-2.0
// The examples' functors keep their promises; without MPI. What they find is in executors_test.
#include <gtest/gtest.h>

#include <cleave/check.hpp>

#include "tests/apps/examples/independent.hpp"

namespace cleave::examples {
namespace {

const std::vector<std::string> kNothing;

template <class App, class Make>
void expect_promises_kept(const App& app, Make&& make) {
  std::vector<typename App::Problem> problems;
  for (const std::size_t length : kLengths) {
    problems.push_back(make(length));
  }
  EXPECT_EQ(check(app, problems), kNothing);
}

TEST(Functors, KeepTheirPromises) {
  for (const int distinct : {1, 2, 10, 1'000'000}) {
    expect_promises_kept(Mergesort{}, [&](auto n) { return random_numbers(n, distinct, 7); });
  }
  expect_promises_kept(Karatsuba{}, [](auto n) { return random_product(n, 1); });
  // Far apart, on a few vertical or horizontal lines, and many equal.
  for (const auto& [x, y] :
       {std::pair{1'000'000'000U, 1'000'000'000U}, {1U, 100'000U}, {100'000U, 1U}, {5U, 1000U}}) {
    expect_promises_kept(ClosestPair{}, [&](auto n) { return random_points(n, x, y, 1); });
  }
  expect_promises_kept(Histogram{}, random_bytes);
  EXPECT_EQ(check(AllQueens{}, {{.board = empty_board(5), .columns = {}}}), kNothing);
  const KnapsackProblem problem = random_knapsack(9, 3, 4);
  const auto same = [](const BestSets& a, const BestSets& b) { return a == b; };
  EXPECT_EQ(check(BestFillings{problem.app, 4}, {{.filling = problem.empty}}, {}, same), kNothing);
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
