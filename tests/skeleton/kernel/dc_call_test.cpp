// SPDX-License-Identifier: Apache-2.0
// Every placement returns what solve_sequential returns, at any number of ranks, or one error on
// all. Subproblems are shared out among ranks, and a rank's own part among its threads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>

#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using examples::random_values;

int world_rank() { return examples::world().rank(); }
int world_size() { return examples::world().size(); }

class Placements : public ::testing::TestWithParam<Placement> {};
INSTANTIATE_TEST_SUITE_P(All, Placements,
                         ::testing::Values(Placement::replicated, Placement::rooted));

/// Whether this rank has the solution.
bool has_solution(Placement placement) {
  return placement == Placement::replicated || world_rank() == 0;
}

/// The problem as this rank has it: where rank 0 has it, what others pass is ignored.
template <class Problem>
Problem held(Placement placement, Problem problem) {
  return has_solution(placement) ? problem : Problem{};
}

TEST_P(Placements, PublishedFormWithFiveFunctions) {
  const auto result = DC_Call(
      DC_Type::hypercube, 1000, [](const int& n) { return n <= 1; },
      [](int n, Share share) {
        const int left = n * share.left / share.total;
        return Halves<int>{left, n - left};
      },
      [](int n) { return static_cast<std::int64_t>(n); },
      [](std::int64_t a, std::int64_t b) { return a + b; },
      [](int n) { return static_cast<std::int64_t>(n); },
      Options{.comm = MPI_COMM_WORLD, .placement = GetParam()});
  EXPECT_EQ(result, has_solution(GetParam()) ? 1000 : 0);
}

TEST_P(Placements, EachRankSolvesOneSubproblem) {
  examples::CountCalls::Calls calls;
  const std::int64_t last = 1 << 12;
  const auto result =
      DC_Call(DC_Type::hypercube, examples::CountCalls{&calls}, {.first = 0, .last = last},
              {.comm = MPI_COMM_WORLD, .placement = GetParam()});
  EXPECT_EQ(result, has_solution(GetParam()) ? last * (last - 1) / 2 : 0);
  EXPECT_EQ(calls.sequential, 1);
  EXPECT_EQ(calls.conquer, 0);
  if (GetParam() == Placement::rooted) {
    const Comm comm(MPI_COMM_WORLD);
    EXPECT_EQ(comm.allreduce_sum(calls.divide), comm.size() - 1);
    EXPECT_EQ(comm.allreduce_sum(calls.combine), comm.size() - 1);
  }
}

TEST(DcCall, SequentialNeedsNoCommunicatorAndPassesExceptionsOn) {
  const auto values = random_values(1000, 3);
  EXPECT_EQ(DC_Call(DC_Type::sequential, examples::Mergesort{}, values),
            solve_sequential(examples::Mergesort{}, values));
  const auto fail = [](Block, int) { throw std::out_of_range("as it was"); };
  EXPECT_THROW(call(DC_Type::sequential, examples::Mergesort{}, std::vector(values), {{}, fail}),
               std::out_of_range);
}

/// The error of a call, the same on every rank; nothing if there is none.
std::string error_of(const std::function<void()>& call) {
  std::string mine;
  try {
    call();
  } catch (const Error& error) {
    mine = error.what();
  }
  EXPECT_EQ(mine, Comm(MPI_COMM_WORLD).bcast(mine, 0));
  return mine;
}

/// Cannot be looked into, and has no wire.
class Hidden {
 public:
  explicit Hidden(int number) : number_(number) {}
  int number() const { return number_; }

 private:
  int number_;
};
struct AddsUpHidden {
  using Problem = Hidden;
  using Solution = int;
  bool trivial(const Hidden& p) const { return p.number() < 2; }
  int conquer(const Hidden& p) const { return p.number(); }
  Halves<Hidden> divide(const Hidden& p) const {
    return {Hidden(p.number() / 2), Hidden(p.number() - p.number() / 2)};
  }
  int combine(int left, int right) const { return left + right; }
};

TEST(DcCall, WhatNoExecutorCanDoIsRefused) {
  const auto sorts = [](DC_Type type, const std::function<void(Options&)>& change) {
    Options options{.comm = MPI_COMM_WORLD};
    change(options);
    DC_Call(type, examples::Mergesort{}, {3, 1, 2}, options);
  };
  const auto threads = [](int count) {
    return [count](Options& options) { options.stealing.threads = count; };
  };
  const auto placed = [](int to) { return [to](Options& o) { o.placement = Placement(to); }; };
  using std::bind_front;
  const std::pair<std::function<void()>, std::string> kRefused[] = {
      {bind_front(sorts, static_cast<DC_Type>(9), threads(1)), "not a DC_Type"},
      {bind_front(sorts, DC_Type::work_stealing, threads(0)),
       "work stealing has 1 to 1024 threads"},
      {bind_front(sorts, DC_Type::work_stealing, threads(1'000'000)),
       "work stealing has 1 to 1024 threads of a rank, not 1000000"},
      {bind_front(sorts, DC_Type::hypercube, threads(2)), "several threads of a rank are not for"},
      {bind_front(sorts, DC_Type::work_stealing, [](Options& o) { o.checkpoint.emplace(); }),
       "snapshots are for applications with `visit`"},
      {bind_front(sorts, DC_Type::work_stealing, placed(2)),
       "placement distributed is not for work stealing: take rooted or replicated"},
      {bind_front(sorts, DC_Type::hypercube, placed(3)), "not a Placement"},
      {bind_front(sorts, DC_Type::hypercube, placed(2)), "placement distributed is not for this"},
      {bind_front(sorts, DC_Type::hypercube, [](Options& o) { o.comm = MPI_COMM_NULL; }),
       "Options::comm is MPI_COMM_NULL"},
      {[] {
         DC_Call(DC_Type::hypercube, AddsUpHidden{}, Hidden(13),
                 {.comm = MPI_COMM_WORLD, .placement = Placement::rooted});
       },
       "placement rooted sends problems to other ranks, and this application's Problem cannot "
       "cross: it holds a pointer, a view, a C array or a type without a wire"}};
  for (const auto& [call, message] : kRefused) {
    EXPECT_EQ(error_of(call).substr(0, message.size()), message);
  }
  EXPECT_EQ(DC_Call(DC_Type::hypercube, AddsUpHidden{}, Hidden(13), {.comm = MPI_COMM_WORLD}), 13);
}

TEST(DcCall, TheLowestLevelAndRankWins) {
  const auto inject = [](Block block, int) {
    if (block == Block::sequential || block == Block::divide) {
      throw std::runtime_error("rank " + std::to_string(world_rank()));
    }
  };
  EXPECT_EQ(error_of([&] {
              call(DC_Type::hypercube, examples::Mergesort{}, random_values(4096, 5),
                   {{.comm = MPI_COMM_WORLD}, inject});
            }),
            fmt::format("rank 0, level 0, {}: rank 0", world_size() > 1 ? "divide" : "sequential"));
}

/// Counts by 1 and n - 1.
struct Counting {
  using Problem = int;
  using Solution = std::int64_t;
  bool trivial(const int& n) const { return n <= 1; }
  std::int64_t conquer(int n) const { return n; }
  Halves<int> divide(int n) const { return {1, n - 1}; }
  std::int64_t combine(std::int64_t left, std::int64_t right) const { return left + right; }
};

/// Works on the parent; the last rank fails on the whole problem.
struct FailsAfter : Counting {
  int whole;
  std::int64_t after(const int& n, std::int64_t solution) const {
    const bool fails = n == whole && world_rank() == world_size() - 1;
    return fails ? throw std::runtime_error("not this one") : solution;
  }
};

TEST(DcCall, WorkOnTheParentFailsUnderItsName) {
  for (const int threads : {1, 2}) {
    const int n = 4 * world_size();
    const bool is_in_recursion = world_size() == 1 && threads == 1;
    EXPECT_EQ(error_of([&] {
                DC_Call(DC_Type::hypercube, FailsAfter{{}, n}, n,
                        {.comm = MPI_COMM_WORLD, .stealing = {.threads = threads}});
              }),
              fmt::format("rank {}, level 0, {}: not this one", world_size() - 1,
                          is_in_recursion ? "sequential" : "after"));
  }
}

/// Moving it is copying it. The n-th copy, packing or unpacking throws on the last rank.
struct Copied {
  static inline int copies = 0;
  static inline int throws_at = 0;

  Copied() = default;
  explicit Copied(std::vector<int> content) : values(std::move(content)) {}
  Copied(const Copied& other) : values(other.values) { count(); }
  Copied& operator=(const Copied& other) {
    values = other.values;
    count();
    return *this;
  }
  static void count() {
    if (++copies == throws_at && world_rank() == world_size() - 1) {
      throw std::runtime_error("not to be copied");
    }
  }
  std::vector<int> values;
};

}  // namespace

template <>
struct wire<Copied> {
  static void pack(Packer& packer, const Copied& value) {
    Copied::count();
    wire<std::vector<int>>::pack(packer, value.values);
  }
  static Copied unpack(Unpacker& unpacker) {
    Copied::count();
    return Copied(wire<std::vector<int>>::unpack(unpacker));
  }
};

namespace {

struct Concatenates {
  using Problem = Copied;
  using Solution = Copied;
  bool trivial(const Copied& p) const { return p.values.size() < 2; }
  Copied conquer(Copied p) const { return p; }
  Halves<Copied> divide(const Copied& p) const {
    const auto middle = p.values.begin() + std::ssize(p.values) / 2;
    return {Copied({p.values.begin(), middle}), Copied({middle, p.values.end()})};
  }
  Copied combine(Copied left, const Copied& right) const {
    left.values.insert(left.values.end(), right.values.begin(), right.values.end());
    return left;
  }
};

/// A division in three parts, with work on the parent.
struct ConcatenatesMany : Concatenates {
  std::vector<Copied> divide(const Copied& p) const {
    std::vector<Copied> parts;
    const std::ptrdiff_t size = std::ssize(p.values);
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
      parts.emplace_back(
          std::vector(p.values.begin() + size * i / 3, p.values.begin() + size * (i + 1) / 3));
    }
    return parts;
  }
  Copied after(const Copied& p, Copied solution) const {
    return solution.values == p.values ? solution : throw std::logic_error("not its parent");
  }
};

/// A search, whose nodes are ranges that are split and whose total is sorted.
struct Collects {
  using Problem = Copied;
  using Node = Copied;
  using Solution = Copied;
  void begin(const Copied& p, Children<Copied>& children, Copied& /*total*/) const {
    children.push(Copied(p));
  }
  void visit(const Copied& node, Children<Copied>& children, Copied& total) const {
    if (node.values.size() > 1) {
      const auto middle = node.values.begin() + std::ssize(node.values) / 2;
      children.push(Copied({node.values.begin(), middle}));
      children.push(Copied({middle, node.values.end()}));
    } else {
      total = combine(total, node);
    }
  }
  Copied combine(Copied left, const Copied& right) const {
    left.values.insert(left.values.end(), right.values.begin(), right.values.end());
    std::ranges::sort(left.values);
    return left;
  }
};

template <class Concatenates>
void expect_values_that_throw_to_be_told(Placement placement) {
  auto values = random_values(50, 3);
  std::ranges::sort(values);
  for (const DC_Type type : {DC_Type::hypercube, DC_Type::work_stealing}) {
    if (type == DC_Type::hypercube && !DivideAndConquer<Concatenates>) {
      continue;
    }
    int thrown = 0;
    for (int nth = 1; nth < 80; ++nth) {
      Copied::copies = 0;
      Copied::throws_at = nth;
      std::string failure;
      try {
        call(type, Concatenates{}, Copied(values),
             {{.comm = MPI_COMM_WORLD, .placement = placement}});
      } catch (const FunctorError& e) {
        failure = e.message();
        ++thrown;
      } catch (const std::runtime_error&) {
        EXPECT_EQ(world_rank(), world_size() - 1);  // to the caller, once the call is over
      }
      EXPECT_EQ(failure, Comm(MPI_COMM_WORLD).bcast(failure, 0));
    }
    EXPECT_GT(thrown, 0);
    Copied::throws_at = 0;
    const Copied result = DC_Call(type, Concatenates{}, Copied(values),
                                  {.comm = MPI_COMM_WORLD, .placement = placement});
    EXPECT_EQ(result.values, has_solution(placement) ? values : std::vector<int>());
  }
}

TEST_P(Placements, AValueThatThrowsIsOneExceptionOnEveryRank) {
  expect_values_that_throw_to_be_told<Concatenates>(GetParam());
  expect_values_that_throw_to_be_told<ConcatenatesMany>(GetParam());
  expect_values_that_throw_to_be_told<Collects>(GetParam());
}

TEST(DcCall, ADepthOfAMillionIsFine) {
  constexpr int kDepth = 1'000'000;
  for (const DC_Type type : {DC_Type::sequential, DC_Type::hypercube, DC_Type::work_stealing}) {
    EXPECT_EQ(DC_Call(type, Counting{}, kDepth, {.comm = MPI_COMM_WORLD}), kDepth);
  }
}

TEST(DcCall, RanksThatCallDifferentlyGetOneError) {
  const int last = world_size() - 1;
  if (last == 0) {
    GTEST_SKIP() << "one rank agrees with itself";
  }
  struct Call {
    DC_Type type = DC_Type::hypercube;
    Placement placement = Placement::replicated;
    int threads = 1;
    std::optional<CheckpointOptions> checkpoint = {};
    bool is_other_sort = false;
    int extra = 0;  ///< elements
    std::optional<EndedEarly>* ended = nullptr;
  };
  struct AnotherSort : examples::Mergesort {};
  std::optional<EndedEarly> ended;
  constexpr auto kStealing = DC_Type::work_stealing;
  struct Case {
    Call first, last;
    std::string text;  ///< of the last rank's call
  };
  const Case kCases[] = {
      {{}, {.type = kStealing}, "work_stealing, replicated, threads 1"},
      {{}, {.placement = Placement::rooted}, "hypercube, rooted, threads 1"},
      {{kStealing}, {.type = kStealing, .threads = 3}, "work_stealing, replicated, threads 3"},
      {{kStealing},
       {.type = kStealing, .checkpoint = CheckpointOptions{}},
       "work_stealing, replicated, threads 1, snapshots"},
      {{kStealing},
       {.type = kStealing, .ended = &ended},
       "work_stealing, replicated, threads 1, ended_early"},
      {{}, {.is_other_sort = true}, "hypercube, replicated, threads 1"},
      {{}, {.extra = 1}, "hypercube, replicated, threads 1"},
      {{kStealing}, {.type = kStealing, .extra = 1}, "work_stealing, replicated, threads 1"}};
  for (const Case& c : kCases) {
    const Call& mine = world_rank() == last ? c.last : c.first;
    const Options options{.comm = MPI_COMM_WORLD,
                          .placement = mine.placement,
                          .stealing = {.threads = mine.threads, .ended_early = mine.ended},
                          .checkpoint = mine.checkpoint};
    const std::string error = error_of([&] {
      const auto values = random_values(1000 + mine.extra, 3);
      mine.is_other_sort ? DC_Call(mine.type, AnotherSort{}, values, options)
                         : DC_Call(mine.type, examples::Mergesort{}, values, options);
    });
    const auto first = fmt::format(
        "rank 0 calls DC_Call with {}, replicated, threads 1, application ", name_of(c.first.type));
    EXPECT_TRUE(error.starts_with(first)) << error;
    EXPECT_NE(error.find(fmt::format(", rank {} with {}, application ", last, c.text)),
              std::string::npos)
        << error;
  }
}

/// Divides into one leaf for each weight; before that, leaves out the negative ones one by one.
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
    if (p.front() < 0) {
      return {{p.begin() + 1, p.end()}};
    }
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
  Sizes sizes(const Problem& p) const { return {{"N", p.size()}}; }
};

/// The work of each rank for such leaves.
std::vector<std::int64_t> work_of_ranks(Placement placement, const std::vector<double>& leaves) {
  double solved = 0;
  const auto result = DC_Call(DC_Type::hypercube, Weighed{&solved}, held(placement, leaves),
                              {.comm = MPI_COMM_WORLD, .placement = placement});
  auto expected = has_solution(placement) ? leaves : std::vector<double>();
  std::erase_if(expected, [](double weight) { return weight < 0; });
  EXPECT_EQ(result, expected);
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < world_size(); ++rank) {
    const auto mine = static_cast<std::int64_t>(rank == world_rank() ? solved : 0);
    all.push_back(Comm(MPI_COMM_WORLD).allreduce_sum(mine));
  }
  return all;
}

TEST_P(Placements, ManySubproblemsGoToRanksAsEvenlyAsTheyCan) {
  for (int parts = 2; parts <= 32; ++parts) {
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

/// Sums a range; each of two threads waits for the other in its first leaf.
struct Meeting {
  using Problem = examples::CountCalls::Range;
  using Solution = std::int64_t;
  struct Seen {
    std::atomic<int> threads = 0, solved_alone = 0;
  };
  struct Worker {
    bool has_met = false;
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
  Solution sequential(Problem p, Worker& worker) const {
    ++seen->solved_alone;
    if (!std::exchange(worker.has_met, true)) {
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
  Meeting::Seen seen;
  const auto result =
      DC_Call(DC_Type::hypercube, Meeting{&seen}, {0, last},
              {.comm = MPI_COMM_WORLD, .placement = GetParam(), .stealing = {.threads = 2}});
  EXPECT_EQ(result, has_solution(GetParam()) ? last * (last - 1) / 2 : 0);
  EXPECT_GE(seen.threads, 2);  // others for each problem of a list
  EXPECT_GT(seen.solved_alone, 10);
}

/// Counts leaves, and the Workers that they were solved with.
struct Leaves {
  struct Solution {
    std::int64_t leaves = 0;
    std::int64_t workers = 0;
  };
  struct Worker {
    static inline std::atomic<int> made = 0;
    static inline std::atomic<bool> throws = false;

    Worker() { ++made, throws ? throw std::runtime_error("no table") : 0; }
    Solution solve(int count) {
      EXPECT_EQ(thread, std::this_thread::get_id());
      return {count, std::exchange(is_new, false) ? 1 : 0};
    }
    const std::thread::id thread = std::this_thread::get_id();
    bool is_new = true;
  };
  using Problem = int;

  bool trivial(const int& n) const { return n == 1; }
  Solution conquer(int n, Worker& worker) const { return worker.solve(n); }
  Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution combine(Solution left, Solution right) const {
    return {left.leaves + right.leaves, left.workers + right.workers};
  }
};
struct LeavesOfParts : Leaves {
  bool small(const int& n) const { return n < 5; }
  Solution sequential(int n, Worker& worker) const { return worker.solve(n); }
};
struct LeavesOfNodes : Leaves {
  void visit(std::span<int> nodes, Children<int>& children, Solution& total, Incumbent<>& /*best*/,
             Worker& worker) const {
    for (const int n : nodes) {
      total = combine(total, worker.solve(n == 1 ? 1 : 0));
      if (n > 1) {
        children.push(n / 2);
        children.push(n - n / 2);
      }
    }
  }
};
struct LeavesThatCall : Leaves {
  Solution conquer(int n, Worker& worker) const {
    EXPECT_EQ(DC_Call(DC_Type::sequential, Leaves{}, 2).workers, 1);
    --Worker::made;
    return worker.solve(n);
  }
};

template <class App>
class Workers : public ::testing::Test {};
using WithWorkers = ::testing::Types<Leaves, LeavesOfParts, LeavesOfNodes, LeavesThatCall>;
TYPED_TEST_SUITE(Workers, WithWorkers);

TYPED_TEST(Workers, AreOfOneThreadAndOneCallOrOneErrorOnEveryRank) {
  const Comm comm(MPI_COMM_WORLD);
  EXPECT_EQ(DC_Call(DC_Type::sequential, TypeParam{}, 300).workers, 1);
  for (const DC_Type type : {DC_Type::hypercube, DC_Type::work_stealing}) {
    for (int threads = 1; threads <= 4; ++threads) {
      const Options options{.comm = MPI_COMM_WORLD, .stealing = {.threads = threads}};
      for (int call = 0; call < 2; ++call) {
        Leaves::Worker::made = 0;
        const auto found = DC_Call(type, TypeParam{}, 300, options);
        EXPECT_EQ(found.leaves, 300);
        EXPECT_EQ(found.workers, comm.allreduce_sum(std::int64_t{Leaves::Worker::made}));
        EXPECT_GE(found.workers, type == DC_Type::hypercube && threads == 1 ? comm.size() : 1);
        EXPECT_LE(found.workers, comm.size() * threads);
      }
      Leaves::Worker::throws = true;
      EXPECT_THAT(error_of([&] { DC_Call(type, TypeParam{}, 300, options); }),
                  ::testing::EndsWith(": no table"));
      Leaves::Worker::throws = false;
    }
  }
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

}  // namespace
}  // namespace cleave
