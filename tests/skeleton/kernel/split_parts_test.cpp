// SPDX-License-Identifier: Apache-2.0
// The sorting form of Placement::distributed: parts of every kind are sorted and evened out at any
// number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>

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

/// Sorts this rank's `values` and checks the result against a sort of all of them.
void expect_sorted(const std::vector<int>& values, std::size_t room, double max_imbalance) {
  Part<int> part(0, values.size(), room);
  std::copy(values.begin(), values.end(), part.begin());
  std::vector<int> expected = testing::gathered(world(), part);
  std::sort(expected.begin(), expected.end());
  const Part<int> sorted = DC_Call(DC_Type::hypercube, examples::SplitSort{}, std::move(part),
                                   {.comm = MPI_COMM_WORLD, .placement = Placement::distributed});
  EXPECT_EQ(testing::gathered(world(), sorted), expected);
  const double mean = static_cast<double>(world().allreduce_sum(std::ssize(values))) / world_size();
  EXPECT_LE(static_cast<double>(sorted.size()), max_imbalance * mean + 1);
}

TEST(SplitParts, OfEveryInputAreSortedAndEven) {
  for (const Input& input : kInputs) {
    SCOPED_TRACE(input.name);
    std::mt19937 random(world_rank());
    std::vector<int> values;
    for (int i = 0; i < 20000; ++i) {
      values.push_back(input.value(random, world_rank(), world_size(), i));
    }
    expect_sorted(values, 20000, 1.1);
    expect_sorted(values, 0, 1.1);  // every level has to make room
  }
}

TEST(SplitParts, OfAnyLengthsAreEvenedOut) {
  std::mt19937 random(7 + world_rank());
  for (const Input& input : kInputs) {
    for (int holder = -1; holder < world_size(); ++holder) {
      // All on one rank, or lengths from 0 up.
      const int length = holder == -1 ? world_rank() * 5000 : holder == world_rank() ? 30000 : 0;
      std::vector<int> values;
      for (int i = 0; i < length; ++i) {
        values.push_back(input.value(random, world_rank(), world_size(), i));
      }
      expect_sorted(values, 0, 1.15);
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

/// Sorts only what the skeleton does not call uniform.
struct SortsUnlessUniform : examples::SplitSort {
  explicit SortsUnlessUniform(int& uniform) : uniform(&uniform) {}

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

TEST(SplitParts, APartIsCalledUniformOnlyIfItIs) {
  for (const Input& input : kInputs) {
    SCOPED_TRACE(input.name);
    std::mt19937 random(world_rank());
    Part<int> part(2000);
    std::generate(part.begin(), part.end(), [&, i = 0]() mutable {
      return input.value(random, world_rank(), world_size(), i++);
    });
    std::vector<int> expected = testing::gathered(world(), part);
    std::ranges::sort(expected);
    int uniform = 0;
    const Part<int> sorted = call(DC_Type::hypercube, SortsUnlessUniform{uniform}, std::move(part),
                                  {{.comm = MPI_COMM_WORLD, .placement = Placement::distributed}});
    EXPECT_EQ(testing::gathered(world(), sorted), expected);
    const bool is_power_of_two = (world_size() & (world_size() - 1)) == 0;
    if (input.name == std::string("equal") && world_size() > 1 && is_power_of_two) {
      EXPECT_EQ(uniform, 1);  // nothing moves
    }
  }
}

TEST(SplitParts, AnEarlierCallDoesNotCallAPartUniform) {
  const auto sorted_by = [](MPI_Comm comm, Part<int> part) {
    int uniform = 0;
    return call(DC_Type::hypercube, SortsUnlessUniform{uniform}, std::move(part),
                {{.comm = comm, .placement = Placement::distributed}});
  };
  Part<int> part(2000);
  std::ranges::fill(part, 42);
  part = sorted_by(MPI_COMM_WORLD, std::move(part));
  std::iota(part.begin(), part.end(), 0);
  std::ranges::reverse(part);
  part = sorted_by(MPI_COMM_SELF, std::move(part));
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
  int levels = 0;
  for (int ranks = world_size(); ranks > 1; ranks = (ranks + 1) / 2) {
    ++levels;
  }
  for (int rank = 0; rank < world_size(); ++rank) {
    for (int level = 0; level <= levels; ++level) {
      for (const Block block : {Block::sample, Block::pivot, Block::partition, Block::sequential}) {
        int reached = 0;
        const auto inject = [&](Block now, int at) {
          if (world_rank() == rank && now == block && at == level) {
            reached = 1;
            throw std::runtime_error("injected");
          }
        };
        int thrown = 0;
        try {
          Part<int> part(1000);
          for (int i = 0; i < 1000; ++i) {
            part[i] = i * 7919 % 1009;
          }
          call(DC_Type::hypercube, examples::SplitSort{}, std::move(part),
               {{.comm = MPI_COMM_WORLD, .placement = Placement::distributed},
                {.before_block = inject}});
        } catch (const FunctorError& e) {
          thrown = 1;
          EXPECT_EQ(e.rank(), rank);
          EXPECT_EQ(e.level(), level);
          EXPECT_EQ(e.block(), name_of(block));
          EXPECT_EQ(e.message(), "injected");
        }
        reached = static_cast<int>(world().allreduce_max(reached));
        EXPECT_EQ(thrown, reached);
        if (block == Block::sequential && level == levels && rank == world_size() - 1) {
          EXPECT_EQ(reached, 1);
        }
        if (block != Block::sequential && level == 0 && rank == 0 && levels > 0) {
          EXPECT_EQ(reached, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cleave
