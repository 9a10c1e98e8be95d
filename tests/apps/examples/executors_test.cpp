// SPDX-License-Identifier: Apache-2.0
// Every example by every executor and placement that its form has, at any number of ranks.
#include <gtest/gtest.h>

#include <cleave/dc_call.hpp>

#include "tests/apps/examples/independent.hpp"

namespace cleave::examples {
namespace {

int rank() { return Comm(MPI_COMM_WORLD).rank(); }

/// Runs `app` on the problem that `make` makes; `expect` is called where there is a solution.
template <class App, class Make, class Expect>
void on_every_executor(const App& app, Make&& make, Expect&& expect) {
  const auto run = [&](DC_Type type, const Options& options) {
    SCOPED_TRACE(testing::Message() << "type " << static_cast<int>(type) << ", placement "
                                    << static_cast<int>(options.placement) << ", threads "
                                    << options.stealing.threads);
    const bool has_solution = options.placement == Placement::replicated || rank() == 0;
    const auto solution =
        DC_Call(type, app, has_solution ? make() : typename App::Problem{}, options);
    if (has_solution) {
      expect(solution);
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
    on_every_executor(
        Mergesort{}, [&] { return numbers; },
        [&](const auto& solution) { EXPECT_EQ(solution, sorted(numbers)); });
  }
}

TEST(Karatsuba, MultipliesAsAtSchool) {
  for (const std::size_t length : kLengths) {
    const Product product = random_product(length, static_cast<unsigned>(length));
    on_every_executor(
        Karatsuba{}, [&] { return product; },
        [&](const auto& solution) { EXPECT_EQ(solution, schoolbook(product)); });
  }
}

TEST(ClosestPair, IsTheLeastOfAllPairs) {
  constexpr std::pair<unsigned, unsigned> kLines[] = {
      {1, 1}, {5, 5}, {1'000'000'000, 1'000'000'000}, {1, 100'000}, {100'000, 1}};
  for (const auto& [x, y] : kLines) {
    for (const std::size_t length : kLengths) {
      const auto points = random_points(length, x, y, static_cast<unsigned>(length));
      on_every_executor(
          ClosestPair{}, [&] { return points; },
          [&](const auto& solution) { EXPECT_EQ(solution.distance2, closest_of_all(points)); });
    }
  }
}

TEST(Histogram, CountsEachByte) {
  for (const std::size_t length : kLengths) {
    const auto bytes = random_bytes(length);
    on_every_executor(
        Histogram{}, [&] { return bytes; },
        [&](const auto& solution) { EXPECT_EQ(solution, counts_of(bytes)); });
  }
}

TEST(Queens, AreAsManyAsIsKnown) {
  for (std::int64_t n = 0; n <= 9; ++n) {
    on_every_executor(
        Queens{}, [&] { return empty_board(n); },
        [&](const auto& solution) { EXPECT_EQ(solution.solutions, kQueens[n]) << n; });
  }
}

TEST(Knapsack, IsWorthWhatDynamicProgrammingFinds) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const KnapsackProblem problem = random_knapsack(seed, 50, seed);
    on_every_executor(
        problem.app, [&] { return problem.empty; },
        [&](const auto& solution) { EXPECT_EQ(solution.value, best_value(problem)) << seed; });
  }
}

TEST(AllQueens, ArePlacedInEveryWayInOrder) {
  for (int n = 0; n <= 7; ++n) {
    const auto expected = all_placements(n);
    on_every_executor(
        AllQueens{}, [&] { return Placed{.board = empty_board(n), .columns = {}}; },
        [&](const auto& solution) { EXPECT_EQ(solution.all, expected) << n; });
  }
}

TEST(BestFillings, AreTheFirstOfAllSets) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const KnapsackProblem problem = random_knapsack(seed, seed % 3 == 0 ? 3 : 50, seed);
    for (const std::size_t k : {1, 3, 10}) {
      on_every_executor(
          BestFillings{problem.app, k}, [&] { return PartFilled{.filling = problem.empty}; },
          [&](const auto& solution) { EXPECT_EQ(solution.sets, best_sets(problem, k)) << seed; });
    }
  }
}

TEST(RecordSort, SortsAsFieldByField) {
  for (const unsigned distinct : {1U, 10U, 100'000U}) {
    for (const std::size_t length : kLengths) {
      const auto readings = random_readings(length, distinct, static_cast<unsigned>(length));
      on_every_executor(
          RecordSort{}, [&] { return part_of(readings); },
          [&](const auto& solution) { EXPECT_EQ(solution, part_of(sorted(readings))); });
    }
  }
}

TEST(RecordSort, LeavesAPartOnEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  for (const unsigned distinct : {1U, 10U, 100'000U}) {
    for (const std::size_t length : {0, 1, 2, 3, 5, 7, 33, 1000, 20'001}) {
      const auto readings = random_readings(length, distinct, static_cast<unsigned>(length));
      const auto cut = [&](int r) { return length * static_cast<std::size_t>(r) / world.size(); };
      const std::span all(readings);
      const auto part = DC_Call(DC_Type::hypercube, RecordSort{},
                                part_of(all.subspan(cut(rank()), cut(rank() + 1) - cut(rank()))),
                                {.comm = MPI_COMM_WORLD, .placement = Placement::distributed});
      std::size_t first = 0;
      std::size_t total = 0;
      for (int r = 0; r < world.size(); ++r) {
        const auto of_r = static_cast<std::size_t>(
            world.allreduce_sum(r == rank() ? static_cast<std::int64_t>(part.size()) : 0));
        first += r < rank() ? of_r : 0;
        total += of_r;
      }
      EXPECT_EQ(total, length);
      const auto expected = sorted(readings);
      EXPECT_TRUE(first + part.size() <= length &&
                  std::equal(part.begin(), part.end(), expected.begin() + first))
          << length << " readings, " << distinct << " values";
    }
  }
}

}  // namespace
}  // namespace cleave::examples
