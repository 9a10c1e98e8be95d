// SPDX-License-Identifier: Apache-2.0
// A rehearsed rank does block for block what it does in a real run. Each process rehearses its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <stdexcept>

#include <cleave/dc_call.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/rehearsal.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/support/message_of.hpp"

namespace cleave {

using namespace cleave::detail;
using examples::random_values, examples::world;
namespace {

/// Halves of any sizes, leaves at any depth, solutions of any length.
struct RandomTree {
  struct Node {
    std::uint32_t seed = 1;
    std::int64_t size = 0;
  };
  using Problem = Node;
  using Solution = std::vector<std::uint32_t>;

  static std::uint32_t next(std::uint32_t seed, std::uint32_t salt) {
    return static_cast<std::uint32_t>(std::mt19937(seed * 31 + salt)());
  }
  bool trivial(const Problem& p) const { return p.size < 40; }
  Solution conquer(Problem p) const { return {p.seed, static_cast<std::uint32_t>(p.size)}; }
  Halves<Problem> divide(Problem p) const {
    const std::int64_t left = p.size * (1 + next(p.seed, 1) % 9) / 10;
    return {{next(p.seed, 2), left}, {next(p.seed, 3), p.size - left}};
  }
  Solution combine(Solution left, Solution right) const {
    left.insert(left.end(), right.begin(), right.end());
    left.resize(left.size() * (1 + left[0] % 2) + left[0] % 3 + 1, left[0]);
    return left;
  }
  Sizes sizes(const Problem& p) const { return {{"N", p.size}}; }
  Sizes solution_sizes(const Solution& s) const { return {{"S", s.size()}}; }
};

/// Several parts with work on the parent, of two sizes.
struct WideTree : RandomTree {
  std::vector<Node> divide(const Node& p) const {
    std::vector<Node> parts;
    for (std::uint32_t i = 0; i <= next(p.seed, 4) % 6; ++i) {
      parts.push_back({next(p.seed, 10 + i), p.size / 2 - i});
    }
    return parts;
  }
  Solution after(const Node& p, Solution solution) const {
    solution.push_back(p.seed);
    return solution;
  }
  Sizes sizes(const Node& p) const { return {{"N", p.size}, {"nodes", 1}}; }
};

using Lines = std::vector<std::string>;

std::string line_of_span(const Recorder& recorder, const Span& span) {
  std::string line = fmt::format("{} at level {} of {} ranks, {} B", name_of(span.block),
                                 span.level, span.group, span.bytes);
  for (const Size& size : recorder.sizes_of(span)) {
    line += fmt::format(", {}={}", size.name, size.value);
  }
  return line;
}

/// All but the messages.
Lines lines_of(const Recorder& recorder) {
  Lines lines;
  for (const Span& span : recorder.spans()) {
    if (span.block != Block::exchange && span.block != Block::wait) {
      lines.push_back(line_of_span(recorder, span));
    }
  }
  return lines;
}

/// The leaf of each rank; none where a group's problem was trivial.
Lines leaves_of_all(const Recorder& recorder) {
  std::string mine;
  for (const Span& span : recorder.spans()) {
    if (span.group == 1 && (span.block == Block::sequential || span.block == Block::conquer)) {
      mine = line_of_span(recorder, span);
    }
  }
  Lines all;
  for (int rank = 0; rank < world().size(); ++rank) {
    all.push_back(world().bcast(mine, rank));
  }
  return all;
}

/// The size of the whole problem; -1 where this rank does not know it.
std::int64_t first_size(const Recorder& recorder) {
  const Sizes& sizes = recorder.repetitions().back().sizes;
  return sizes.empty() ? -1 : sizes.begin()->value;
}

template <class App>
using MakeProblem = std::function<typename App::Problem(int rank)>;

/// The record of a rank that is rehearsed.
struct Seen {
  Recorder recorder{rehearsed_ns};
  int first_level = 0;
  int level_offset = 0;
  std::vector<int> ranks;  ///< whose leaves were solved
  Lines leaves;            ///< of these
};

/// Rehearses rank `rank` of `ranks`, so many times.
template <class App>
void rehearse(Seen& seen, const App& app, Placement placement, const Comm& processes, int ranks,
              int rank, const MakeProblem<App>& make, const RehearsalLimits& limits = {},
              int repetitions = 1, std::function<void()> at_leaf = nullptr) {
  const AppOf<App> any(app);
  CallOptions options;
  options.recorder = &seen.recorder;
  options.placement = placement;
  const auto erased = [&](int of) { return ErasedValue::of<typename App::Problem>(make(of)); };
  Solver solver;
  if (at_leaf) {
    solver = [&](ErasedValue problem) {
      at_leaf();
      WorkerSlot slot;
      return any.sequential(std::move(problem), {}, slot);
    };
  }
  Rehearsal rehearsal(any, options, processes, ranks, rank, erased, solver);
  rehearsal.prepare(limits);
  for (int i = 0; i < repetitions; ++i) {
    seen.recorder.begin_repetition(i, false);
    seen.recorder.end_repetition(rehearsal.run(erased(rank)));
  }
  const PreparedRehearsal& prepared = rehearsal.prepared();
  seen.first_level = prepared.first_level;
  seen.level_offset = prepared.level_offset;
  seen.ranks = prepared.ranks;
  for (const Span& span : prepared.own_parts.spans()) {
    seen.leaves.push_back(line_of_span(prepared.own_parts, span));
  }
}

template <class App>
void expect_as_on_all_ranks(Placement placement, const MakeProblem<App>& make) {
  const int rank = world().rank();
  Recorder real;
  real.begin_repetition(0, false);
  DC_Call(DC_Type::hypercube, App{}, make(rank),
          {.comm = MPI_COMM_WORLD, .recorder = &real, .placement = placement});
  real.end_repetition(0);
  Seen seen;
  rehearse(seen, App{}, placement, world(), world().size(), rank, make, {}, 2);
  // In a run some ranks do not know it.
  EXPECT_EQ(first_size(seen.recorder), world().allreduce_max(first_size(real)));
  const Lines once = lines_of(real);
  Lines twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(lines_of(seen.recorder), twice);
  EXPECT_EQ(seen.first_level, 0);

  Lines leaves = leaves_of_all(real);
  leaves[static_cast<std::size_t>(rank)].clear();
  Lines solved(leaves.size());
  for (std::size_t i = 0; i < seen.ranks.size(); ++i) {
    solved[static_cast<std::size_t>(seen.ranks[i])] = seen.leaves[i];
  }
  EXPECT_EQ(solved, leaves);
}

TEST(RehearsedRank, DoesWhatItDoesAmongAllRanks) {
  for (const std::size_t count : {3, 400, 20000}) {  // beyond the length at which ranks ask, too
    SCOPED_TRACE(count);
    // Uneven parts, so that room has to be made.
    const auto values_of = [&](int rank) {
      return random_values(count * static_cast<std::size_t>(rank + 1), static_cast<unsigned>(rank));
    };
    expect_as_on_all_ranks<examples::Mergesort>(Placement::replicated,
                                                [&](int) { return values_of(0); });
    expect_as_on_all_ranks<examples::MergedParts>(Placement::distributed, values_of);
    expect_as_on_all_ranks<examples::SplitSort>(Placement::distributed, [&](int rank) {
      const auto values = values_of(rank);
      return Part<int>(std::span<const int>(values));
    });
  }
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTree::Node root{.seed = seed, .size = 50 * seed};
    const auto rooted = [&](int rank) { return rank == 0 ? root : RandomTree::Node{}; };
    expect_as_on_all_ranks<RandomTree>(Placement::replicated, [&](int) { return root; });
    expect_as_on_all_ranks<RandomTree>(Placement::rooted, rooted);
    expect_as_on_all_ranks<WideTree>(Placement::replicated, [&](int) { return root; });
    expect_as_on_all_ranks<WideTree>(Placement::rooted, rooted);
  }
}

TEST(Rehearsal, TakesAsManyRanksAndLevelsAsMemoryAllows) {
  const Comm alone(MPI_COMM_SELF);
  Seen whole;
  rehearse<examples::Mergesort>(whole, {}, Placement::replicated, alone, 16, 5,
                                [](int) { return random_values(1600, 1); },
                                {.max_bytes = 8 * 4 * 200});
  EXPECT_EQ(whole.first_level, 1);
  EXPECT_EQ(std::ranges::count(whole.recorder.spans(), Block::divide, &Span::block), 4);
  EXPECT_EQ(std::ranges::count(whole.recorder.spans(), Block::combine, &Span::block), 3);

  Seen parts;
  rehearse<examples::SplitSort>(parts, {}, Placement::distributed, alone, 16, 5,
                                [](int rank) {
                                  const auto values =
                                      random_values(1000, static_cast<unsigned>(rank));
                                  return Part<int>(std::span<const int>(values));
                                },
                                {.max_bytes = 3 * 4 * 4000});
  EXPECT_EQ(parts.first_level, 2);
  EXPECT_EQ(parts.level_offset, 2);
  EXPECT_EQ(parts.ranks, (std::vector{4, 6, 7}));
  EXPECT_EQ(first_size(parts.recorder), 16000);
}

TEST(Rehearsal, SolvesTheLeavesOfAllRanksAsItIsTold) {
  int leaves = 0;
  Seen seen;
  rehearse<examples::Mergesort>(
      seen, {}, Placement::replicated, Comm(MPI_COMM_SELF), 4, 1,
      [](int) { return random_values(400, 1); }, {}, 1, [&] { ++leaves; });
  EXPECT_EQ(leaves, 4);
  EXPECT_EQ(seen.ranks, (std::vector{0, 2, 3}));
}

TEST(Rehearsal, OfATrivialProblemHasNoOthers) {
  Seen seen;
  rehearse<examples::Mergesort>(seen, {}, Placement::rooted, Comm(MPI_COMM_SELF), 4, 0,
                                [](int) { return std::vector{1}; });
  EXPECT_EQ(seen.leaves, Lines{});
  EXPECT_EQ(lines_of(seen.recorder), Lines{"conquer at level 0 of 4 ranks, 0 B, N=1"});
}

/// Fails where it solves a value.
struct FailingSort : examples::Mergesort {
  int at = 0;
  Solution sequential(Problem p) const {
    if (std::ranges::find(p, at) != p.end()) {
      throw std::runtime_error("found it");
    }
    return Mergesort::sequential(std::move(p));
  }
};

TEST(Rehearsal, NamesTheRankWhoseFunctorFails) {
  std::vector<int> values(16);
  std::iota(values.begin(), values.end(), 0);
  for (const int at : {1, 9}) {  // of rank 0, which is rehearsed, and of rank 2
    FailingSort app;
    app.at = at;
    EXPECT_EQ(testing::message_of([&] {
                Seen seen;
                rehearse<FailingSort>(seen, app, Placement::replicated, Comm(MPI_COMM_SELF), 4, 0,
                                      [&](int) { return values; });
              }),
              fmt::format("rank {}, level 2, sequential: found it", at / 4));
  }
}

/// Chooses another splitter once it was prepared.
struct Forgetful : examples::SplitSort {
  int* calls;
  Split<int> splitter(std::vector<int> samples, Share share) const {
    constexpr int kOfPreparation = 3;  // of 4 ranks
    return (*calls)++ < kOfPreparation ? SplitSort::splitter(std::move(samples), share)
                                       : Split<int>{.splitter = -1};
  }
};

TEST(Rehearsal, RefusesMessagesThatDifferFromThoseOfItsPreparation) {
  int calls = 0;
  Forgetful app;
  app.calls = &calls;
  Seen seen;
  EXPECT_THROW(rehearse<Forgetful>(seen, app, Placement::distributed, Comm(MPI_COMM_SELF), 4, 0,
                                   [](int rank) {
                                     const auto values = random_values(1000, 1U + rank);
                                     return Part<int>(std::span<const int>(values));
                                   }),
               Error);
}

}  // namespace
}  // namespace cleave
