// SPDX-License-Identifier: Apache-2.0
// Searches that are ended early again and again, by a limit on nodes, a request or the time. They
// go on from their snapshots on other ranks and threads. The last one counts exactly what a search
// by one loop counts; those before it say why they ended, and count no more than that. Processes
// that are killed are in tests/faults.
//
// CLEAVE_RESUMES_COUNT=1000 tries so many searches, CLEAVE_RESUMES_SEED=2 others.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <cleave/dc_call.hpp>

#include "tests/properties/random_applications.hpp"
#include "tests/skeleton/kernel/trees.hpp"
#include "tests/support/number_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::properties {
namespace {

using examples::Counted;
using examples::LazyTree;
using examples::RandomTree;

/// How the search of one generation is ended, and how it runs.
struct Generation {
  Generation(std::uint64_t seed, std::int64_t nodes_of_tree, int ranks)
      : size(1 + static_cast<int>(drawn(seed, 1) % static_cast<std::uint64_t>(ranks))) {
    stealing.threads = 1 + static_cast<int>(drawn(seed, 2) % 3);
    stealing.seed = seed;
    switch (drawn(seed, 3) % 4) {
      case 0:
        stealing.max_nodes = 1 + static_cast<std::int64_t>(
                                     drawn(seed, 4) % static_cast<std::uint64_t>(nodes_of_tree));
        break;
      case 1:
        stop = true;
        break;
      case 2:
        stealing.max_s = 1e-4 * static_cast<double>(drawn(seed, 4) % 20);
        break;
      default:  // to its end
        break;
    }
  }

  int size;  ///< of the ranks, the first of the world
  StealingOptions stealing;
  std::atomic<bool> stop = false;
};

struct Outcome {
  Counted counted;
  std::optional<EndedEarly> ended;
};

template <class App>
Outcome outcome_of(const App& app, RandomTree::Node root, Generation& generation, MPI_Comm comm,
                   const std::filesystem::path& folder) {
  Outcome outcome;
  Options options{.comm = comm, .stealing = generation.stealing};
  options.stealing.stop = &generation.stop;
  options.stealing.ended_early = &outcome.ended;
  options.checkpoint = CheckpointOptions{
      .folder = folder, .every_s = 1000, .resume = true, .app = "random tree", .instance = ""};
  outcome.counted = DC_Call(DC_Type::work_stealing, app, root, options);
  return outcome;
}

template <class App>
void try_resumes(const Comm& world, std::uint64_t seed) {
  App app;
  app.children_of_root = 1 + static_cast<int>(drawn(seed, 1) % 3000);
  const RandomTree::Node root{.number = seed};
  const Counted expected = search_sequentially(app, root);
  std::optional<testing::TemporaryFolder> kept;
  if (world.rank() == 0) {
    kept.emplace();
  }
  const std::filesystem::path folder = world.bcast(kept ? kept->path().string() : "", 0);
  constexpr std::uint64_t kMaxGenerations = 12;
  bool is_done = false;
  for (std::uint64_t g = 0; g < kMaxGenerations && !is_done; ++g) {
    Generation generation(drawn(seed, 100 + g), expected.nodes, world.size());
    if (g + 1 == kMaxGenerations) {
      generation.stealing = {};
      generation.stop = false;
    }
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world.rank() < generation.size ? 0 : MPI_UNDEFINED, world.rank(),
                   &part);
    if (part != MPI_COMM_NULL) {
      const Outcome outcome = outcome_of(app, root, generation, part, folder);
      is_done = !outcome.ended;
      if (is_done && world.rank() == 0) {
        EXPECT_EQ(outcome.counted, expected);
      } else if (world.rank() == 0) {
        EXPECT_LE(outcome.counted.nodes, expected.nodes);
        EXPECT_NE(outcome.ended->reason, "");
      }
      MPI_Comm_free(&part);
    }
    is_done = world.allreduce_max(is_done ? 1 : 0) != 0;
  }
  EXPECT_TRUE(is_done);
  world.barrier();  // the folder is rank 0's
}

TEST(RandomResumes, CountAsOneSearchDoes) {
  const std::uint64_t first = testing::number_of("CLEAVE_RESUMES_SEED", 1);
  const std::uint64_t count = testing::number_of("CLEAVE_RESUMES_COUNT", 10);
  const Comm world(MPI_COMM_WORLD);
  for (std::uint64_t i = 0; i < count && world.allreduce_max(HasFailure() ? 1 : 0) == 0; ++i) {
    SCOPED_TRACE("search " + std::to_string(i) + " of seed " + std::to_string(first));
    if (i % 2 == 0) {
      try_resumes<RandomTree>(world, drawn(first, i));
    } else {
      try_resumes<LazyTree>(world, drawn(first, i));
    }
  }
}

}  // namespace
}  // namespace cleave::properties
