// SPDX-License-Identifier: Apache-2.0
// Every example by every executor and placement that its form has, at any number of ranks.
#include <gtest/gtest.h>

#include <cleave/dc_call.hpp>

#include "tests/apps/examples/independent.hpp"
#include "tests/support/gathered.hpp"

namespace cleave::examples {
namespace {

Comm world() { return Comm(MPI_COMM_WORLD); }

/// Runs `app` on the problem that is `given`. Where there is a solution, what `found` takes of it
/// is `expected`.
template <class App, class Given, class Expected, class Found = std::identity>
void on_every_executor(const App& app, const Given& given, const Expected& expected,
                       Found found = {}) {
  using Problem = typename App::Problem;
  const auto run = [&](DC_Type type, const Options& options) {
    SCOPED_TRACE(::testing::Message() << "type " << static_cast<int>(type) << ", placement "
                                      << static_cast<int>(options.placement) << ", threads "
                                      << options.stealing.threads);
    const bool has_solution = options.placement == Placement::replicated || world().rank() == 0;
    const auto solution = DC_Call(type, app, has_solution ? Problem(given) : Problem{}, options);
    if (has_solution) {
      EXPECT_EQ(std::invoke(found, solution), expected);
    }
  };
  for (const Placement placement : {Placement::replicated, Placement::rooted}) {
    if constexpr (detail::RunsOnHypercube<App>) {
      run(DC_Type::hypercube, {.comm = MPI_COMM_WORLD, .placement = placement});
    }
    for (const int threads : {1, 2}) {
      run(DC_Type::work_stealing,
          {.comm = MPI_COMM_WORLD, .placement = placement, .stealing = {.threads = threads}});
    }
  }
  run(DC_Type::sequential, {});
}

TEST(Mergesort, SortsAsTheStandardLibraryDoes) {
  for (const std::size_t length : kLengths) {
    const auto numbers = random_numbers(length, 100, static_cast<unsigned>(length));
    on_every_executor(Mergesort{}, numbers, sorted(numbers));
  }
}

TEST(Karatsuba, MultipliesAsAtSchool) {
  for (const std::size_t length : kLengths) {
    const Product product = random_product(length, static_cast<unsigned>(length));
    on_every_executor(Karatsuba{}, product, schoolbook(product));
  }
}

TEST(ClosestPair, IsTheLeastOfAllPairs) {
  constexpr std::pair<unsigned, unsigned> kLines[] = {
      {1, 1}, {5, 5}, {1'000'000'000, 1'000'000'000}, {1, 100'000}, {100'000, 1}};
  for (const auto& [x, y] : kLines) {
    for (const std::size_t length : kLengths) {
      const auto points = random_points(length, x, y, static_cast<unsigned>(length));
      on_every_executor(ClosestPair{}, points, closest_of_all(points),
                        &ClosestPair::Solution::distance2);
    }
  }
}

TEST(Histogram, CountsEachByte) {
  for (const std::size_t length : kLengths) {
    const auto bytes = random_bytes(length);
    on_every_executor(Histogram{}, bytes, counts_of(bytes));
  }
}

TEST(Queens, AreAsManyAsIsKnown) {
  for (std::int64_t n = 0; n <= 9; ++n) {
    on_every_executor(Queens{}, empty_board(n), kQueens[n], &Queens::Solution::solutions);
  }
}

TEST(AllQueens, ArePlacedInEveryWayInOrder) {
  for (int n = 0; n <= 7; ++n) {
    on_every_executor(AllQueens{}, Placed{.board = empty_board(n), .columns = {}},
                      all_placements(n), &AllQueens::Solution::all);
  }
}

TEST(Knapsack, AndTheBestFillingsAreTheFirstOfAllSets) {
  for (unsigned seed = 1; seed <= 16; ++seed) {
    const KnapsackProblem problem = random_knapsack(seed, seed % 3 == 0 ? 3 : 50, seed);
    on_every_executor(problem.app, problem.empty, best_sets(problem, 1).begin()->value,
                      &Knapsack::Solution::value);
    for (const std::size_t k : {1, 3, 10}) {
      if (seed <= 10) {
        on_every_executor(BestFillings{problem.app, k}, PartFilled{.filling = problem.empty},
                          best_sets(problem, k), &BestFillings::Solution::sets);
      }
    }
  }
}

TEST(RecordSort, SortsAsFieldByFieldAndLeavesAPartOnEveryRank) {
  for (const unsigned distinct : {1U, 10U, 100'000U}) {
    for (const std::size_t length : {0, 1, 2, 3, 5, 7, 33, 100, 257, 1000, 20'001}) {
      const auto readings = random_readings(length, distinct, static_cast<unsigned>(length));
      const std::span all(readings);
      if (length < 1000) {
        on_every_executor(RecordSort{}, all,
                          Part<Reading>(std::span<const Reading>(sorted(readings))));
      }
      const auto cut = [&](int r) { return length * static_cast<std::size_t>(r) / world().size(); };
      const std::size_t first = cut(world().rank());
      const auto part = DC_Call(DC_Type::hypercube, RecordSort{},
                                Part<Reading>(all.subspan(first, cut(world().rank() + 1) - first)),
                                {.comm = MPI_COMM_WORLD, .placement = Placement::distributed});
      const auto found = cleave::testing::gathered(world(), part);
      EXPECT_TRUE(world().rank() != 0 || found == sorted(readings))
          << length << " readings, " << distinct << " values";
    }
  }
}

}  // namespace
}  // namespace cleave::examples
