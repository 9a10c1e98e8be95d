// SPDX-License-Identifier: Apache-2.0
// A rehearsed rank does block for block what that rank of a real run does. Every process rehearses
// its own rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <stdexcept>

#include <cleave/dc_call.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/rehearsal.hpp>

#include "tests/skeleton/examples.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

const Comm& world() {
  static const Comm comm(MPI_COMM_WORLD);
  return comm;
}

std::vector<int> rehearsed_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<int>(random() >> 1); });
  return values;
}

Part<int> rehearsed_part(std::size_t count, int rank) {
  const auto values = rehearsed_values(count, static_cast<unsigned>(rank));
  return Part<int>(std::span<const int>(values));
}

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

using RehearsedLines = std::vector<std::string>;

std::string line_of_span(const Recorder& recorder, const Span& span) {
  std::string line = fmt::format("{} at level {} of {} ranks, {} B", name_of(span.block),
                                 span.level, span.group, span.bytes);
  for (const Size& size : recorder.sizes_of(span)) {
    line += fmt::format(", {}={}", size.name, size.value);
  }
  return line;
}

/// All but the messages.
RehearsedLines lines_of(const Recorder& recorder) {
  RehearsedLines lines;
  for (const Span& span : recorder.spans()) {
    if (span.block != Block::exchange && span.block != Block::wait) {
      lines.push_back(line_of_span(recorder, span));
    }
  }
  return lines;
}

/// The leaf of each rank; none where a group's problem was trivial.
RehearsedLines leaves_of_all(const Recorder& recorder) {
  std::string mine;
  for (const Span& span : recorder.spans()) {
    if (span.group == 1 && (span.block == Block::sequential || span.block == Block::conquer)) {
      mine = line_of_span(recorder, span);
    }
  }
  RehearsedLines all;
  for (int rank = 0; rank < world().size(); ++rank) {
    all.push_back(world().bcast(mine, rank));
  }
  return all;
}

/// Time of the whole call; -1 where this rank does not know it.
std::int64_t first_size(const Recorder& recorder) {
  const Sizes& sizes = recorder.repetitions().back().sizes;
  return sizes.empty() ? -1 : sizes.begin()->value;
}

template <class App>
using MakeRehearsed = std::function<typename App::Problem(int rank)>;

template <class App>
void expect_rehearsed_as(const Recorder& real, Placement placement, const App& app,
                         MakeRehearsed<App> make) {
  const int rank = world().rank();
  Recorder recorder(rehearsed_ns);
  CallOptions options;
  options.recorder = &recorder;
  options.placement = placement;
  const AppOf<App> any(app);
  const auto erased = [&](int of) { return ErasedValue::of<typename App::Problem>(make(of)); };
  Rehearsal rehearsal(any, options, world(), world().size(), rank, erased);
  rehearsal.prepare({});
  for (int i = 0; i < 2; ++i) {
    const std::size_t before = recorder.spans().size();
    recorder.begin_repetition(i, false);
    recorder.end_repetition(rehearsal.run(erased(rank)));
    EXPECT_GT(recorder.spans().size(), before);
    // In a run some ranks do not know it.
    EXPECT_EQ(first_size(recorder), world().allreduce_max(first_size(real)));
  }
  const RehearsedLines once = lines_of(real);
  RehearsedLines twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(lines_of(recorder), twice);
  EXPECT_EQ(rehearsal.prepared().first_level, 0);

  RehearsedLines leaves = leaves_of_all(real);
  leaves[static_cast<std::size_t>(rank)].clear();
  RehearsedLines solved(leaves.size());
  for (std::size_t i = 0; i < rehearsal.prepared().ranks.size(); ++i) {
    const Recorder& of_leaves = rehearsal.prepared().own_parts;
    solved[static_cast<std::size_t>(rehearsal.prepared().ranks[i])] =
        line_of_span(of_leaves, of_leaves.spans()[i]);
  }
  EXPECT_EQ(solved, leaves);
}

template <class App>
void expect_as_on_all_ranks(Placement placement, const App& app, MakeRehearsed<App> make) {
  Recorder real;
  real.begin_repetition(0, false);
  DC_Call(DC_Type::hypercube, app, make(world().rank()),
          {.comm = MPI_COMM_WORLD, .recorder = &real, .placement = placement});
  real.end_repetition(0);
  expect_rehearsed_as(real, placement, app, make);
}

// Messages below and beyond the length at which ranks ask for room.
class RehearsedRank : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, RehearsedRank, ::testing::Values(3, 400, 20000));

TEST_P(RehearsedRank, OfReplicatedData) {
  expect_as_on_all_ranks<examples::Mergesort>(
      Placement::replicated, {}, [](int /*rank*/) { return rehearsed_values(GetParam(), 1); });
}

TEST_P(RehearsedRank, OfPartsThatAreMerged) {
  expect_as_on_all_ranks<examples::MergedParts>(Placement::distributed, {}, [](int rank) {
    return rehearsed_values(GetParam() * static_cast<std::size_t>(rank + 1),
                            static_cast<unsigned>(rank));
  });
}

TEST_P(RehearsedRank, OfPartsThatAreSplit) {
  expect_as_on_all_ranks<examples::SplitSort>(Placement::distributed, {}, [](int rank) {
    // Uneven, so that room has to be made.
    return rehearsed_part(GetParam() * static_cast<std::size_t>(rank + 1), rank);
  });
}

template <class Tree>
void expect_random_trees_as_on_all_ranks() {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTree::Node root{.seed = seed, .size = 50 * seed};
    expect_as_on_all_ranks<Tree>(Placement::replicated, {}, [&](int /*rank*/) { return root; });
    expect_as_on_all_ranks<Tree>(Placement::rooted, {},
                                 [&](int rank) { return rank == 0 ? root : RandomTree::Node{}; });
  }
}

TEST(RehearsedRank, OfRandomTrees) {
  expect_random_trees_as_on_all_ranks<RandomTree>();
  expect_random_trees_as_on_all_ranks<WideTree>();
}

/// Rehearses a rank of so many alone.
template <class App>
void rehearse_alone(const App& app, Recorder& recorder, Placement placement, int ranks, int rank,
                    MakeRehearsed<App> make, const RehearsalLimits& limits,
                    const std::function<void(const Rehearsal&)>& look) {
  const Comm alone(MPI_COMM_SELF);
  CallOptions options;
  options.recorder = &recorder;
  options.placement = placement;
  const AppOf<App> any(app);
  const auto erased = [&](int of) { return ErasedValue::of<typename App::Problem>(make(of)); };
  Rehearsal rehearsal(any, options, alone, ranks, rank, erased);
  rehearsal.prepare(limits);
  recorder.begin_repetition(0, false);
  recorder.end_repetition(rehearsal.run(erased(rank)));
  look(rehearsal);
}

TEST(Rehearsal, LeavesOutLevelsThatTakeTooMuchMemory) {
  Recorder recorder(rehearsed_ns);
  rehearse_alone<examples::Mergesort>(
      {}, recorder, Placement::replicated, 16, 5,
      [](int /*rank*/) { return rehearsed_values(1600, 1); }, {.max_bytes = 8 * 4 * 200},
      [](const auto& rehearsal) { EXPECT_EQ(rehearsal.prepared().first_level, 1); });
  int divided = 0;
  int combined_at = 99;
  for (const Span& span : recorder.spans()) {
    divided += span.block == Block::divide ? 1 : 0;
    if (span.block == Block::combine) {
      combined_at = span.level;
    }
  }
  EXPECT_EQ(divided, 4);
  EXPECT_EQ(combined_at, 1);
}

TEST(Rehearsal, OfASortTakesAsManyRanksAsMemoryAllows) {
  Recorder recorder(rehearsed_ns);
  rehearse_alone<examples::SplitSort>(
      {}, recorder, Placement::distributed, 16, 5,
      [](int rank) { return rehearsed_part(1000, rank); }, {.max_bytes = 3 * 4 * 4000},
      [](const auto& rehearsal) {
        EXPECT_EQ(rehearsal.prepared().first_level, 2);
        EXPECT_EQ(rehearsal.prepared().level_offset, 2);
        EXPECT_EQ(rehearsal.prepared().ranks, (std::vector{4, 6, 7}));
      });
  ASSERT_EQ(recorder.repetitions().size(), 1U);
  EXPECT_EQ(recorder.repetitions()[0].sizes.begin()->value, 16000);
}

TEST(Rehearsal, SolvesTheLeavesOfAllRanksAsItIsTold) {
  const examples::Mergesort app;
  const AppOf<examples::Mergesort> any(app);
  const Comm alone(MPI_COMM_SELF);
  Recorder recorder(rehearsed_ns);
  CallOptions options;
  options.recorder = &recorder;
  int leaves = 0;
  const auto make = [](int /*rank*/) {
    return ErasedValue::of<std::vector<int>>(rehearsed_values(400, 1));
  };
  Rehearsal rehearsal(any, options, alone, 4, 1, make, [&](ErasedValue problem) {
    ++leaves;
    return any.sequential(std::move(problem), {});
  });
  rehearsal.prepare({});
  EXPECT_EQ(leaves, 3);
  recorder.begin_repetition(0, false);
  recorder.end_repetition(rehearsal.run(make(1)));
  EXPECT_EQ(leaves, 4);
}

TEST(Rehearsal, OfATrivialProblemHasNoOthers) {
  Recorder recorder(rehearsed_ns);
  rehearse_alone<examples::Mergesort>(
      {}, recorder, Placement::rooted, 4, 0, [](int /*rank*/) { return std::vector{1}; }, {},
      [](const auto& rehearsal) { EXPECT_TRUE(rehearsal.prepared().ranks.empty()); });
  ASSERT_EQ(lines_of(recorder).size(), 1U);
  EXPECT_EQ(lines_of(recorder)[0], "conquer at level 0 of 4 ranks, 0 B, N=1");
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
    Recorder recorder(rehearsed_ns);
    FailingSort app;
    app.at = at;
    try {
      rehearse_alone<FailingSort>(
          app, recorder, Placement::replicated, 4, 0, [&](int /*rank*/) { return values; }, {},
          [](const auto& /*rehearsal*/) {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FunctorError& error) {
      EXPECT_EQ(error.rank(), at / 4);
      EXPECT_EQ(error.level(), 2);
      EXPECT_EQ(error.message(), "found it");
    }
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
  Recorder recorder(rehearsed_ns);
  const auto rehearse = [&] {
    rehearse_alone<Forgetful>(
        app, recorder, Placement::distributed, 4, 0,
        [](int rank) { return rehearsed_part(1000, rank); }, {}, [](const auto& /*rehearsal*/) {});
  };
  EXPECT_THROW(rehearse(), Error);
}

}  // namespace
}  // namespace cleave
