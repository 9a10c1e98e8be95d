// SPDX-License-Identifier: Apache-2.0
// The sorting form of Placement::distributed: parts of all kinds are sorted and evened out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <stdexcept>

#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/kernel/split_parts.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/support/gathered.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

Comm world() { return Comm(MPI_COMM_WORLD); }
int world_rank() { return world().rank(); }
int world_size() { return world().size(); }

struct Input {
  const char* name;
  int (*value)(std::mt19937& random, int rank, int ranks, int i);
};

const Input kInputs[] = {
    {"uniform", [](std::mt19937& random, int, int, int) { return static_cast<int>(random()); }},
    {"sorted", [](std::mt19937&, int rank, int, int i) { return rank * 1'000'000 + i; }},
    {"reverse", [](std::mt19937&, int rank, int, int i) { return -rank * 1'000'000 - i; }},
    {"equal", [](std::mt19937&, int, int, int) { return 42; }},
    {"few", [](std::mt19937& random, int, int, int) { return static_cast<int>(random() % 3); }},
    {"staggered", [](std::mt19937& random, int rank, int, int) {
       return static_cast<int>((rank % 2) * 1'000'000 + random() % 1'000'000);
     }}};

/// Sorts, but not what the skeleton calls uniform.
struct SortsUnlessUniform : examples::SplitSort {
  Solution sequential(Problem p) const {
    if (!p.is_uniform()) {
      return SplitSort::sequential(std::move(p));
    }
    ++*uniform;
    EXPECT_EQ(std::ranges::adjacent_find(p, std::not_equal_to()), p.end());
    return p;
  }

  int* uniform;
};

/// Sorts this rank's `values` and checks the result against a sort of all of them.
/// \return  how many parts of this rank were called uniform
int expect_sorted(const std::vector<int>& values, std::size_t room, double max_imbalance) {
  Part<int> part(0, values.size(), room);
  std::copy(values.begin(), values.end(), part.begin());
  std::vector<int> expected = testing::gathered(world(), part);
  std::sort(expected.begin(), expected.end());
  int uniform = 0;
  Recorder recorder(mpi_time_ns);
  recorder.begin_repetition(0, false);
  const Part<int> sorted =
      DC_Call(DC_Type::hypercube, SortsUnlessUniform{{}, &uniform}, std::move(part),
              {.comm = MPI_COMM_WORLD, .recorder = &recorder, .placement = Placement::distributed});
  EXPECT_EQ(testing::gathered(world(), sorted), expected);
  const double mean = static_cast<double>(world().allreduce_sum(std::ssize(values))) / world_size();
  const double most = max_imbalance * mean + 1;
  EXPECT_LE(static_cast<double>(sorted.size()), most);
  for (const Span& span : recorder.spans()) {
    if (span.block == Block::partition && span.level > 0) {
      EXPECT_LE(static_cast<double>(recorder.sizes_of(span).begin()->value), most) << span.level;
    }
  }
  return uniform;
}

TEST(SplitParts, OfEveryInputAndLengthsAreSortedAndEven) {
  const bool is_power_of_two = (world_size() & (world_size() - 1)) == 0;
  for (const Input& input : kInputs) {
    // Parts are as long on all ranks, have lengths from 0 up, or are all on one rank.
    for (int holder = -2; holder < world_size(); ++holder) {
      SCOPED_TRACE(input.name + fmt::format(", {}", holder));
      std::mt19937 random(7 + world_rank());
      std::vector<int> values(holder == -2             ? 20000
                              : holder == -1           ? world_rank() * 5000
                              : holder == world_rank() ? 30000
                                                       : 0);
      std::ranges::generate(values, [&, i = 0]() mutable {
        return input.value(random, world_rank(), world_size(), i++);
      });
      expect_sorted(values, 20000, 1.15);
      const int uniform = expect_sorted(values, 0, holder == -2 ? 1.1 : 1.15);  // makes room
      if (input.name == std::string("equal") && holder == -2 && world_size() > 1 &&
          is_power_of_two) {
        EXPECT_EQ(uniform, 1);  // nothing moves
      }
    }
  }
}

TEST(SplitParts, OfFewerElementsThanRanksAreSorted) {
  for (int total = 0; total < 2 * world_size(); ++total) {
    std::vector<int> values;
    for (int i = world_rank(); i < total; i += world_size()) {
      values.push_back(-i);
    }
    expect_sorted(values, 1, 1e9);
  }
}

TEST(SplitParts, AnEarlierCallDoesNotCallAPartUniform) {
  int uniform = 0;
  Part<int> part(2000);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    std::ranges::generate(part,
                          [i = 0, comm]() mutable { return comm == MPI_COMM_SELF ? i-- : 42; });
    part = DC_Call(DC_Type::hypercube, SortsUnlessUniform{{}, &uniform}, std::move(part),
                   {.comm = comm, .placement = Placement::distributed});
  }
  EXPECT_TRUE(std::ranges::is_sorted(part));
}

/// Takes a sample less than it is asked for.
struct SamplesTooFew : examples::SplitSort {
  std::vector<int> sample(std::span<const int> part, std::size_t count, std::uint64_t seed) const {
    return SplitSort::sample(part, count - 1, seed);
  }
};

/// Finds more elements on the last rank than are there.
struct CutsTooMany : examples::SplitSort {
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const Cut cut = SplitSort::partition(part, split, order);
    return world_rank() == world_size() - 1 ? Cut{.less = cut.less, .equal = part.size() + 1} : cut;
  }
};

template <class App>
void expect_failure(std::size_t length, const std::string& block, const std::string& message) {
  try {
    call(DC_Type::hypercube, App{}, Part<int>(length),
         {{.comm = MPI_COMM_WORLD, .placement = Placement::distributed}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const FunctorError& e) {
    EXPECT_EQ(e.block(), block);
    EXPECT_TRUE(e.message().starts_with(message)) << e.message();
    EXPECT_TRUE(block != "partition" || e.rank() == world_size() - 1) << e.rank();
  }
}

TEST(SplitParts, AWrongSampleOrCutIsOneExceptionOnEveryRank) {
  if (world_size() == 1) {
    GTEST_SKIP() << "one rank takes no samples and partitions nothing";
  }
  expect_failure<SamplesTooFew>(1000, "sample", "sample returned");
  expect_failure<CutsTooMany>(1, "partition", "partition returned a cut of");
  expect_failure<CutsTooMany>(1000, "partition", "partition returned a cut of");
}

TEST(SplitParts, AFunctorThatThrowsOnOneRankIsOneExceptionOnEveryRank) {
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(world_size() - 1)));
  for (int rank = 0; rank < world_size(); ++rank) {
    for (int level = 0; level <= levels; ++level) {
      for (const Block block : {Block::sample, Block::pivot, Block::partition, Block::sequential}) {
        bool reached = false;
        const auto inject = [&](Block now, int at) {
          if (world_rank() == rank && now == block && at == level) {
            reached = true;
            throw std::runtime_error("injected");
          }
        };
        std::string error;
        Part<int> part(1000);
        std::ranges::generate(part, [i = 0]() mutable { return i++ * 7919 % 1009; });
        try {
          call(DC_Type::hypercube, examples::SplitSort{}, std::move(part),
               {{.comm = MPI_COMM_WORLD, .placement = Placement::distributed}, inject});
        } catch (const FunctorError& e) {
          error = e.what();
        }
        const bool is_reached = world().allreduce_max(reached ? 1 : 0) != 0;
        EXPECT_EQ(error, is_reached ? fmt::format("rank {}, level {}, {}: injected", rank, level,
                                                  name_of(block))
                                    : "");
        const bool is_leaf = block == Block::sequential;
        EXPECT_TRUE(is_reached || level != (is_leaf ? levels : 0) ||
                    rank != (is_leaf ? world_size() - 1 : 0) || levels == 0);
      }
    }
  }
}

}  // namespace
}  // namespace cleave
