// SPDX-License-Identifier: Apache-2.0
// Random programs: applications, problems, executors, placements, threads, communicators and faults
// drawn from a seed. Each call returns what the recursion on one rank returns; or, where a functor
// threw on any rank, the same FunctorError on every rank. A program's own messages on the same
// communicator arrive as they were sent.
//
// CLEAVE_PROGRAMS_SEED and CLEAVE_PROGRAMS_COUNT choose others, and more.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>

#include "tests/properties/random_applications.hpp"
#include "tests/support/number_of.hpp"

namespace cleave::properties {
namespace {

/// A communicator and this rank's place in it.
struct Group {
  explicit Group(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  bool all_agree(std::uint64_t mine) const {
    const auto value = static_cast<std::int64_t>(mine);
    std::array<std::int64_t, 2> ends = {value, ~value};
    Comm(comm).allreduce_min(ends);  // waits politely, as MPI does not
    return ends[0] == ~ends[1];
  }
  bool any(bool mine) const { return Comm(comm).allreduce_max(mine ? 1 : 0) != 0; }

  MPI_Comm comm;
  int rank = 0;
  int size = 0;
};

/// A message of the program to the next rank, by any source and tag, on its way during the call.
class OwnMessage {
 public:
  OwnMessage(const Group& group, std::uint64_t seed)
      : sent_(drawn(seed, static_cast<std::uint64_t>(group.rank))),
        wanted_(
            drawn(seed, static_cast<std::uint64_t>((group.rank + group.size - 1) % group.size))) {
    MPI_Irecv(&received_, 1, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, group.comm,
              requests_.data());
    MPI_Isend(&sent_, 1, MPI_UINT64_T, (group.rank + 1) % group.size, static_cast<int>(seed % 5),
              group.comm, &requests_[1]);
  }
  bool arrives() {
    MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
    return received_ == wanted_;
  }

 private:
  std::uint64_t sent_;
  std::uint64_t wanted_;
  std::uint64_t received_ = 0;
  std::array<MPI_Request, 2> requests_{};
};

constexpr std::array<std::string_view, 13> kBlocks = {
    "trivial", "divide", "conquer", "combine",        "after", "sequential", "begin",
    "visit",   "child",  "sizes",   "solution_sizes", "pack",  "unpack"};
int thrown = 0;                 ///< in so many calls, on any rank
std::string_view faulty_block;  ///< of every call, on all ranks; empty: any, of some calls

Fault fault_of(std::uint64_t seed) {
  return {.block = faulty_block.empty() ? kBlocks[drawn(seed, 1) % kBlocks.size()] : faulty_block,
          .call = faulty_block.empty() ? 1 + static_cast<int>(drawn(seed, 2) % 4) : 1,
          .kind = static_cast<Fault::Kind>(drawn(seed, 3) % 6)};
}

/// The result of a call on this rank.
template <class Solution>
struct Outcome {
  std::optional<Solution> solution;
  std::string error;  ///< of a functor
};

template <class App>
Outcome<typename App::Solution> outcome_of(DC_Type type, typename App::Problem problem,
                                           const Options& options) {
  try {
    return {.solution = DC_Call(type, App{}, std::move(problem), options), .error = {}};
  } catch (const FunctorError& e) {
    return {.solution = std::nullopt,
            .error = std::to_string(e.rank()) + ' ' + std::to_string(e.level()) + ' ' + e.what()};
  }
}

/// One call of `App` as `seed` draws it.
/// \param problem_of  this rank's problem with a placement
/// \param expected    the solution where a rank gets it
template <class App>
void try_call(const Group& group, std::uint64_t seed, const std::vector<DC_Type>& types,
              const std::vector<Placement>& placements,
              const std::function<typename App::Problem(Placement)>& problem_of,
              const typename App::Solution& expected) {
  const DC_Type type = types[drawn(seed, 1) % types.size()];
  Options options{.comm = group.comm};
  options.placement = placements[drawn(seed, 2) % placements.size()];
  const bool is_parallel = type != DC_Type::sequential;
  options.stealing.threads = is_parallel ? 1 + static_cast<int>(drawn(seed, 3) % 3) : 1;
  options.stealing.seed = seed;
  Recorder recorder(mpi_time_ns);
  recorder.begin_repetition(0, false);
  const bool is_traced = drawn(seed, 200 + static_cast<std::uint64_t>(group.rank)) % 2 == 0;
  options.recorder = is_traced ? &recorder : nullptr;
  const bool is_faulty = is_parallel && (!faulty_block.empty() || drawn(seed, 5) % 5 == 0);
  const bool is_here =
      !faulty_block.empty() ||
      drawn(seed, 6) % static_cast<unsigned>(group.size) == static_cast<unsigned>(group.rank);
  SCOPED_TRACE(std::string(typeid(App).name()) + ", " + std::string(name_of(type)) + ", " +
               std::string(name_of(options.placement)) + ", " +
               std::to_string(options.stealing.threads) + " threads, " +
               std::to_string(group.size) + " ranks");

  typename App::Problem problem = problem_of(options.placement);
  OwnMessage message(group, seed);
  calls.expect(is_faulty && is_here ? fault_of(seed) : Fault{});
  const auto outcome = outcome_of<App>(type, std::move(problem), options);
  const bool has_thrown = group.any(calls.has_thrown());
  thrown += has_thrown ? 1 : 0;
  calls.expect({});
  EXPECT_TRUE(message.arrives());
  EXPECT_EQ(outcome.error.empty(), !has_thrown) << outcome.error.substr(0, 200);
  EXPECT_TRUE(group.all_agree(std::hash<std::string>()(outcome.error)))
      << "rank " << group.rank << ": " << outcome.error.substr(0, 200);
  const bool gets_it = group.rank == 0 || options.placement != Placement::rooted;
  if (outcome.solution && gets_it) {
    EXPECT_TRUE(*outcome.solution == expected);
  }
}

template <class App>
void try_whole(const Group& group, std::uint64_t seed) {
  std::vector<DC_Type> types = {DC_Type::work_stealing, DC_Type::work_stealing,
                                DC_Type::sequential};
  typename App::Solution expected;
  if constexpr (TreeSearch<App>) {
    expected = search_sequentially(App{}, App::problem(seed));
  } else {
    expected = solve_sequential(App{}, App::problem(seed));
    types.insert(types.end(), 2, DC_Type::hypercube);
  }
  try_call<App>(
      group, seed, types, {Placement::replicated, Placement::rooted},
      [&](Placement placement) {
        const bool has_it = placement == Placement::replicated || group.rank == 0;
        return has_it ? App::problem(seed) : typename App::Problem{};
      },
      expected);
}

void try_parts(const Group& group, std::uint64_t seed) {
  MergedIndex::Problem whole;
  for (int rank = 0; rank < group.size; ++rank) {
    const auto part = Index::problem(drawn(seed, static_cast<std::uint64_t>(rank)));
    whole.insert(whole.end(), part.begin(), part.end());
  }
  try_call<MergedIndex>(
      group, seed, {DC_Type::hypercube},
      {Placement::distributed, Placement::distributed, Placement::replicated, Placement::rooted},
      [&](Placement placement) {
        return placement == Placement::distributed
                   ? Index::problem(drawn(seed, static_cast<std::uint64_t>(group.rank)))
                   : whole;
      },
      solve_sequential(Index{}, whole));
}

void try_program(const Group& group, std::uint64_t seed) {
  constexpr auto kPrograms = std::to_array<void (*)(const Group&, std::uint64_t)>(
      {try_parts, try_whole<Brackets>, try_whole<BracketsAfter>, try_whole<Index>, try_whole<Moved>,
       try_whole<MovedInMany>, try_whole<Many>, try_whole<ManyAfter>, try_whole<AtOnce>,
       try_whole<Counts>, try_whole<Searched>, try_whole<SearchedLazily>, try_whole<Bounded>,
       try_whole<BoundedLazily>});
  kPrograms[drawn(seed) % kPrograms.size()](group, seed);
}

TEST(RandomPrograms, ReturnWhatTheRecursionReturnsOrFailAsOne) {
  const std::uint64_t first = testing::number_of("CLEAVE_PROGRAMS_SEED", 1);
  const std::uint64_t count = testing::number_of("CLEAVE_PROGRAMS_COUNT", 60);
  const Group world(MPI_COMM_WORLD);
  for (std::uint64_t i = 0; i < count && !world.any(HasFailure()); ++i) {
    const std::uint64_t seed = drawn(first, i);
    SCOPED_TRACE("program " + std::to_string(i) + " of seed " + std::to_string(first));
    if (seed % 3 != 0) {
      try_program(world, seed);
      continue;
    }
    // Disjoint groups at once, in another order of ranks, several calls each.
    MPI_Comm part = MPI_COMM_NULL;
    const int colour = static_cast<int>(drawn(seed, static_cast<std::uint64_t>(world.rank)) % 2);
    MPI_Comm_split(MPI_COMM_WORLD, colour, -world.rank, &part);
    const Group group(part);
    for (std::uint64_t call = 0; call < 3; ++call) {
      try_program(group, drawn(seed, 100 * static_cast<std::uint64_t>(colour) + call));
    }
    MPI_Comm_free(&part);
  }
}

TEST(RandomPrograms, FailAsOneWhateverThrows) {
  const Group world(MPI_COMM_WORLD);
  for (const std::string_view block : kBlocks) {
    faulty_block = block;
    thrown = 0;
    for (std::uint64_t i = 0; i < 200 && thrown < 5 && !world.any(HasFailure()); ++i) {
      SCOPED_TRACE(std::string(block) + ", program " + std::to_string(i));
      try_program(world, drawn(3, i));
    }
    EXPECT_TRUE(thrown == 5 || world.size == 1) << block;
  }
  faulty_block = {};
}

}  // namespace
}  // namespace cleave::properties
