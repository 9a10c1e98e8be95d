// SPDX-License-Identifier: Apache-2.0
// How the hypercube shares out many subproblems among ranks, and a rank's own part among threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/dc_call.hpp>

#include "tests/skeleton/kernel/placements.hpp"
#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

/// Divides into one leaf for each weight.
struct Weighed {
  using Problem = std::vector<double>;
  using Solution = std::vector<double>;
  double* solved;  ///< by this rank

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(Problem p) const {
    *solved += p.empty() ? 0 : p.front();
    return p;
  }
  std::vector<Problem> divide(const Problem& p) const {
    std::vector<Problem> parts;
    for (const double weight : p) {
      parts.push_back({weight});
    }
    return parts;
  }
  Solution combine(Solution left, const Solution& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  double work(const Problem& p) const { return p.front(); }
  Sizes sizes(const Problem& p) const { return {{"N", p.size()}}; }
};

/// The work of each rank for such leaves.
std::vector<std::int64_t> work_of_ranks(Placement placement, const std::vector<double>& leaves) {
  double solved = 0;
  const auto result = DC_Call(DC_Type::hypercube, Weighed{&solved}, held(placement, leaves),
                              {.comm = MPI_COMM_WORLD, .placement = placement});
  EXPECT_EQ(result, has_solution(placement) ? leaves : std::vector<double>());
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < world_size(); ++rank) {
    const auto mine = static_cast<std::int64_t>(rank == world_rank() ? solved : 0);
    all.push_back(Comm(MPI_COMM_WORLD).allreduce_sum(mine));
  }
  return all;
}

TEST_P(Placements, ManySubproblemsGoToRanksAsEvenlyAsTheyCan) {
  for (int parts = 2; parts <= 20; ++parts) {
    const auto work = work_of_ranks(GetParam(), std::vector<double>(parts, 1));
    const int ranks = world_size();
    EXPECT_EQ(std::ranges::max(work), (parts + ranks - 1) / ranks) << parts;
    EXPECT_EQ(std::ranges::min(work) == 0, parts < ranks && GetParam() == Placement::rooted);
  }
}

TEST_P(Placements, SizesOfSeveralSubproblemsAreTheirSums) {
  double solved = 0;
  Recorder recorder(mpi_time_ns);
  recorder.begin_repetition(0, false);
  DC_Call(DC_Type::hypercube, Weighed{&solved}, held(GetParam(), std::vector<double>(70, 1)),
          {.comm = MPI_COMM_WORLD, .recorder = &recorder, .placement = GetParam()});
  recorder.end_repetition(1);
  for (const Span& span : recorder.spans()) {
    if (span.block == Block::sequential) {
      EXPECT_EQ(recorder.sizes_of(span).begin()->value, static_cast<std::int64_t>(solved));
    }
    if (span.level == 0 && (span.block == Block::divide || span.block == Block::combine)) {
      EXPECT_EQ(recorder.sizes_of(span).begin()->value, 70);
    }
  }
}

TEST_P(Placements, RanksAreSharedOutByTheWorkOfSubproblems) {
  if (world_size() == 2) {
    EXPECT_EQ(work_of_ranks(GetParam(), {4, 1, 1, 1, 1}), (std::vector<std::int64_t>{4, 4}));
    EXPECT_EQ(work_of_ranks(GetParam(), {1, 1, 1, 9}), (std::vector<std::int64_t>{3, 9}));
  }
  if (world_size() == 4) {
    EXPECT_EQ(work_of_ranks(GetParam(), {3, 3, 1, 1, 1, 2, 1}),
              (std::vector<std::int64_t>{3, 3, 3, 3}));
  }
}

/// Sums a range; each of two threads waits for the other in its first leaf.
struct Meeting {
  using Problem = examples::CountCalls::Range;
  using Solution = std::int64_t;
  struct Seen {
    int call = 0;
    std::atomic<int> threads = 0, solved_alone = 0;
  };
  Seen* seen;

  bool trivial(const Problem& p) const { return p.last - p.first <= 1; }
  bool small(const Problem& p) const { return p.last - p.first <= 4; }
  Solution conquer(Problem p) const { return p.last > p.first ? p.first : 0; }
  std::vector<Problem> divide(Problem p) const {
    const std::int64_t third = (p.last - p.first) / 3;
    return {{p.first, p.first + third},
            {p.first + third, p.first + 2 * third},
            {p.first + 2 * third, p.last}};
  }
  Solution combine(Solution left, Solution right) const { return left + right; }
  Solution sequential(Problem p) const {
    ++seen->solved_alone;
    thread_local int met_in = 0;
    if (std::exchange(met_in, seen->call) != seen->call) {
      ++seen->threads;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (seen->threads < 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
    }
    Solution sum = 0;
    for (std::int64_t i = p.first; i < p.last; ++i) {
      sum += i;
    }
    return sum;
  }
};

TEST_P(Placements, ARanksOwnPartIsSharedByItsThreads) {
  const std::int64_t last = 10'000;
  static int calls = 0;
  Meeting::Seen seen{.call = ++calls};
  const auto result =
      DC_Call(DC_Type::hypercube, Meeting{&seen}, {0, last},
              {.comm = MPI_COMM_WORLD, .placement = GetParam(), .stealing = {.threads = 2}});
  EXPECT_EQ(result, has_solution(GetParam()) ? last * (last - 1) / 2 : 0);
  EXPECT_EQ(seen.threads, 2);
  EXPECT_GT(seen.solved_alone, 10);
}

/// Counts the numbers of a range, by a search or by halves.
struct CountingSearch {
  using Problem = examples::CountCalls::Range;
  using Solution = std::int64_t;

  void visit(Problem p, Children<Problem>& children, Solution& total) const {
    if (trivial(p)) {
      total += conquer(p);
    } else {
      const auto [left, right] = divide(p);
      children.push(right);
      children.push(left);
    }
  }
  bool trivial(const Problem& p) const { return p.last - p.first <= 1; }
  Solution conquer(Problem p) const { return p.last - p.first; }
  Halves<Problem> divide(Problem p) const {
    const std::int64_t middle = std::midpoint(p.first, p.last);
    return {{p.first, middle}, {middle, p.last}};
  }
  Solution combine(Solution left, Solution right) const { return left + right; }
  Sizes solution_sizes(Solution total) const { return {{"nodes", total}}; }
};

TEST_P(Placements, ThreadsSearchARanksOwnPartWithinTheLimits) {
  constexpr std::int64_t kCount = 100'000;
  for (const int threads : {1, 2}) {
    Options options{.comm = MPI_COMM_WORLD, .placement = GetParam()};
    options.stealing.threads = threads;
    const auto found = [&] {
      return DC_Call(DC_Type::hypercube, CountingSearch{}, {0, kCount}, options);
    };
    EXPECT_EQ(found(), has_solution(GetParam()) ? kCount : 0);
    std::optional<EndedEarly> ended;
    options.stealing.ended_early = &ended;
    options.stealing.max_nodes = 1000;
    found();
    EXPECT_EQ(ended.value_or(EndedEarly{}).reason, "the tree has more than 1000 nodes");
  }
}

TEST(DcCall, ThreadsAreNotForAnApplicationThatDoesNotSayWhatOneSolves) {
  EXPECT_THROW(DC_Call(DC_Type::hypercube, examples::Mergesort{}, {3, 1, 2},
                       {.comm = MPI_COMM_WORLD, .stealing = {.threads = 2}}),
               Error);
}

}  // namespace
}  // namespace cleave
