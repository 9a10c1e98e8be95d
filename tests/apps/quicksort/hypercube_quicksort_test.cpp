// SPDX-License-Identifier: Apache-2.0
// Hypercube quicksort of every kind of key and input equals std::sort, is even, and reads and
// writes files, at any number of ranks.
#include "apps/quicksort/hypercube_quicksort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>

#include <cleave/dc_call.hpp>
#include <cleave/file.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/keys.hpp"
#include "tests/support/gathered.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::quicksort {

using namespace cleave::detail;
namespace {

constexpr std::array kInputs = {KeyOrder::uniform,  KeyOrder::sorted, KeyOrder::reverse,
                                KeyOrder::equal,    KeyOrder::few,    KeyOrder::zipf,
                                KeyOrder::staggered};

Comm world() { return Comm(MPI_COMM_WORLD); }

template <class Key = std::int32_t>
std::vector<Key> generated(KeyOrder input, std::int64_t total, std::uint64_t seed) {
  std::vector<Key> keys(total);
  GeneratedKeys<Key>(input, total, seed).fill(0, keys);
  return keys;
}

template <class Key>
KeySum sum_of(const std::vector<Key>& keys) {
  return KeySum().add(std::span<const Key>(keys));
}

/// This rank's share of `all`.
template <class Key>
Part<Key> part_of(const std::vector<Key>& all) {
  const std::size_t ranks = world().size();
  const std::size_t rank = world().rank();
  const std::size_t first = all.size() * rank / ranks;
  return Part<Key>(std::span(all).subspan(first, all.size() * (rank + 1) / ranks - first));
}

/// The `slack` is how many keys a rank may have above 1.1 times the mean.
template <class Key, class Order>
void expect_sorted(std::vector<Key> all, Order order, const std::string& what, double slack = 2) {
  SCOPED_TRACE(what);
  const Part<Key> sorted =
      DC_Call(DC_Type::hypercube, HypercubeQuicksort<Key, Order>{order}, part_of(all),
              {.comm = MPI_COMM_WORLD, .placement = Placement::distributed});
  const double mean = static_cast<double>(all.size()) / world().size();
  EXPECT_LE(static_cast<double>(sorted.size()), 1.1 * mean + slack);
  EXPECT_TRUE(are_in_order(world(), std::span<const Key>(sorted.data(), sorted.size()), order));
  const std::vector<Key> found = cleave::testing::gathered(world(), sorted);
  if (world().rank() != 0) {
    return;
  }
  std::sort(all.begin(), all.end(), order);
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_FALSE(order(found[i], all[i]) || order(all[i], found[i])) << "key " << i;
  }
  EXPECT_EQ(sum_of(all), sum_of(found));
}

template <class Key>
class OneKeyType : public ::testing::Test {};
using KeyTypes = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                                  double, Record>;
TYPED_TEST_SUITE(OneKeyType, KeyTypes);

TYPED_TEST(OneKeyType, OfEveryInputAndAnyCountAreSortedAndEven) {
  // Enough that the differences between random halves of a rank's keys are well below 10 %.
  const std::int64_t total = 8192 * world().size();
  for (const KeyOrder input : kInputs) {
    const std::vector<TypeParam> keys = generated<TypeParam>(input, total, 1);
    const std::string name = "input " + std::to_string(static_cast<int>(input));
    expect_sorted(keys, ByKey{}, name);
    expect_sorted(keys, ByKey{.descends = true}, name + " descending");
  }
  for (std::int64_t few = 0; few < 70; few += 1 + few / 5) {
    expect_sorted(generated<TypeParam>(KeyOrder::few, few, 3), ByKey{}, std::to_string(few), 70);
  }
}

TEST(HypercubeQuicksort, FindsRoomForWhatItReceivesAtEveryLevel) {
  if (!std::has_single_bit(static_cast<unsigned>(world().size()))) {
    GTEST_SKIP() << "a rank of the smaller half receives more than half of a part";
  }
  Recorder recorder;
  DC_Call(DC_Type::hypercube, HypercubeQuicksort<std::int32_t>{},
          part_of(generated(KeyOrder::uniform, 65536 * world().size(), 7)),
          {.comm = MPI_COMM_WORLD, .recorder = &recorder, .placement = Placement::distributed});
  for (const Span& span : recorder.spans()) {
    EXPECT_NE(span.block, Block::skeleton) << "keys were moved at level " << span.level;
  }
}

TEST(HypercubeQuicksort, SortsByAnOrderOfTheUsers) {
  const auto by_last_digits = [](std::int32_t a, std::int32_t b) { return a % 1000 < b % 1000; };
  expect_sorted(generated(KeyOrder::uniform, 8192 * world().size(), 5), by_last_digits, "a % 1000");
}

TEST(HypercubeQuicksort, PutsNanAfterEveryNumberAndBeforeThemWhenDescending) {
  std::vector<double> keys = generated<double>(KeyOrder::uniform, 80000 * world().size(), 5);
  for (const std::size_t every : {1, 2, 1000}) {
    for (std::size_t i = 0; i < keys.size(); i += every) {
      keys[i] = i % 3 == 0 ? NAN : -NAN;
    }
    keys[1] = std::numeric_limits<double>::infinity();
    keys[2] = -keys[1];
    expect_sorted(keys, ByKey{}, "one in " + std::to_string(every));
    expect_sorted(keys, ByKey{.descends = true}, "one in " + std::to_string(every));
  }
}

TEST(HypercubeQuicksort, EqualsItsMeaningOnOneRank) {
  for (const KeyOrder input : kInputs) {
    for (const std::int64_t total : {0, 1, 2, 17, 3000}) {
      Keys keys = generated(input, total, 9);
      const auto sorted = solve_sequential(HypercubeQuicksort<std::int32_t>{},
                                           Part<std::int32_t>(std::span<const std::int32_t>(keys)));
      std::stable_sort(keys.begin(), keys.end());
      EXPECT_EQ(Keys(sorted.begin(), sorted.end()), keys);
    }
  }
}

TYPED_TEST(OneKeyType, ArePartitionedAsTheirComparisonSays) {
  for (std::int64_t total = 0; total < 300; total += 1 + total / 20) {
    std::vector<TypeParam> keys = generated<TypeParam>(KeyOrder::few, total + 1, 4);
    const TypeParam pivot = keys.back();
    keys.pop_back();
    for (const auto& [or_equal, inverted] :
         {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
      std::vector<TypeParam> parted = keys;
      const std::size_t cut =
          partition_vector(std::span(parted), pivot, {.or_equal = or_equal, .inverted = inverted});
      for (std::size_t i = 0; i < parted.size(); ++i) {
        const bool is_first = or_equal ? !(pivot < parted[i]) : parted[i] < pivot;
        EXPECT_EQ(is_first != inverted, i < cut);
      }
      EXPECT_EQ(sum_of(keys), sum_of(parted));
    }
  }
}

TYPED_TEST(OneKeyType, AreTheSameInAFile) {
  const Comm comm = world();
  std::string path;
  std::optional<testing::TemporaryFolder> folder;
  if (comm.rank() == 0) {
    path = folder.emplace() / "keys";
  }
  path = comm.bcast(path, 0);
  const std::vector<TypeParam> all = generated<TypeParam>(KeyOrder::uniform, 600'000, 7);
  const Part<TypeParam> mine = part_of(all);
  write_keys<TypeParam>(comm, path, std::span(mine.data(), mine.size()));
  const KeyFile file(path, sizeof(TypeParam));
  ASSERT_EQ(file.keys(), std::ssize(all));
  std::vector<TypeParam> read(all.size());
  file.read<TypeParam>(0, read);
  EXPECT_EQ(std::memcmp(read.data(), all.data(), all.size() * sizeof(TypeParam)), 0);
  comm.barrier();
}

TEST(KeyFile, HoldsTheKeyOfARecordFirst) {
  const testing::TemporaryFolder folder;
  const std::array<std::uint64_t, 2> words = {3, 9};
  write_file(folder / "record", {reinterpret_cast<const char*>(words.data()), sizeof(words)});
  std::array<Record, 1> record;
  KeyFile(folder / "record", sizeof(Record)).read<Record>(0, record);
  EXPECT_EQ(record[0].key, 3U);
  EXPECT_EQ(record[0].value, 9U);
}

}  // namespace
}  // namespace cleave::quicksort
