// SPDX-License-Identifier: Apache-2.0
// Records of every input are sorted on one rank, those of one key by their values.
#include "apps/quicksort/local_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {
namespace {

constexpr std::int64_t kFew = 1000;
constexpr std::int64_t kMany = 530'001;  // they are sorted in buckets, if their keys allow it

void expect_all_sorted(const std::vector<Record>& records) {
  for (const bool descends : {false, true}) {
    std::vector<Record> sorted = records;
    local_sort(std::span(sorted), ByKey{.descends = descends});
    KeySum in;
    KeySum out;
    in.add(std::span<const Record>(records));
    out.add(std::span<const Record>(sorted));
    EXPECT_EQ(in, out);
    const auto is_before = [descends](const Record& a, const Record& b) {
      return std::tie(a.key, a.value) != std::tie(b.key, b.value) &&
             (std::tie(a.key, a.value) < std::tie(b.key, b.value)) != descends;
    };
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end(), is_before)) << descends;
  }
}

/// Records whose keys `key_of` makes of uniform bits; their values descend.
template <class KeyOf>
std::vector<Record> records_of(std::int64_t count, KeyOf key_of) {
  const CounterRandom random(1);
  std::vector<Record> records(count);
  for (std::int64_t i = 0; i < count; ++i) {
    records[i] = {.value = static_cast<std::uint64_t>(count - i), .key = key_of(random(i))};
  }
  return records;
}

TEST(LocalSort, OfRecordsOfEveryInputIsByKeyAndThenByValue) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, kFew, kMany}) {
    for (const KeyOrder order :
         {KeyOrder::uniform, KeyOrder::sorted, KeyOrder::reverse, KeyOrder::equal, KeyOrder::few,
          KeyOrder::zipf, KeyOrder::staggered}) {
      SCOPED_TRACE(::testing::Message() << count << " of input " << static_cast<int>(order));
      std::vector<Record> records(count);
      GeneratedKeys<Record>(order, count, 1).fill(0, records);
      expect_all_sorted(records);
    }
  }
}

TEST(LocalSort, OfRecordsWithSkewedKeysIsByKeyAndThenByValue) {
  const auto expect_sorted_by = [](const char* name, auto key_of) {
    SCOPED_TRACE(name);
    expect_all_sorted(records_of(kMany, key_of));
  };
  expect_sorted_by("the high bits are equal",
                   [](std::uint64_t bits) { return 0xabcd'0000'0000'0000 | bits >> 44; });
  expect_sorted_by("one in a hundred is far from the others",
                   [](std::uint64_t bits) { return bits % 100 == 0 ? bits : bits >> 32; });
  // Such keys are too rare for a sample: they go to the first bucket and to the last.
  expect_sorted_by("few are below and above all others", [](std::uint64_t bits) {
    return bits % 50'000 == 0   ? 0
           : bits % 50'000 == 1 ? ~std::uint64_t{0}
                                : (bits >> 8) + (1ULL << 62);
  });
  expect_sorted_by("a thousand keys", [](std::uint64_t bits) { return (bits % 1000) << 54; });
  expect_sorted_by("the least keys are the most",
                   [](std::uint64_t bits) { return bits >> bits % 60; });
}

}  // namespace
}  // namespace cleave::quicksort
