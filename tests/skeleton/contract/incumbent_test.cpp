// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <cleave/tree_search.hpp>

namespace cleave {
namespace {

/// The ends of the type, values around 0, and random bits.
template <class Value>
std::vector<Value> some_values() {
  using Limits = std::numeric_limits<Value>;
  std::vector<Value> values = {Limits::lowest(), Limits::min(), Limits::max(), Value{0}, Value{1}};
  if constexpr (std::is_signed_v<Value>) {
    values.insert(values.end(), {Value{-1}, static_cast<Value>(-Limits::max())});
  }
  if constexpr (Limits::has_infinity) {
    values.insert(values.end(), {Limits::infinity(), -Limits::infinity(), Limits::denorm_min()});
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t bits = random();
    Value value{};
    if constexpr (std::floating_point<Value>) {
      value = static_cast<Value>(
          std::ldexp(static_cast<double>(bits >> 11) - 0x1p52, static_cast<int>(bits % 64) - 80));
    } else {
      value = static_cast<Value>(bits);
    }
    values.push_back(value);
  }
  return values;
}

template <class Value>
class IncumbentOfType : public ::testing::Test {};
using Values =
    ::testing::Types<std::int8_t, std::uint16_t, int, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(IncumbentOfType, Values);

TYPED_TEST(IncumbentOfType, TakesExactlyWhatIsBetterAndGivesItBack) {
  const std::vector<TypeParam> values = some_values<TypeParam>();
  EXPECT_EQ(Incumbent<TypeParam>().value(), std::ranges::max(values));
  EXPECT_EQ(Incumbent<Maximise<TypeParam>>().value(), std::ranges::min(values));
  for (const TypeParam first : values) {
    for (const TypeParam second : values) {
      Incumbent<TypeParam> least(first);
      EXPECT_EQ(least.value(), first);
      EXPECT_EQ(least.offer(second), second < first);
      EXPECT_EQ(least.value(), std::min(first, second));
      Incumbent<Maximise<TypeParam>> greatest(first);
      EXPECT_EQ(greatest.offer(second), second > first);
      EXPECT_EQ(greatest.value(), std::max(first, second));
    }
  }
}

TEST(Incumbent, NoNaNIsBetterNorAZeroOfTheOtherSign) {
  for (const double value :
       {std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(Incumbent<double>().offer(value));
  }
  EXPECT_FALSE(Incumbent<double>(0.0).offer(-0.0));
  EXPECT_FALSE(Incumbent<Maximise<double>>(-0.0).offer(0.0));
}

TEST(Incumbent, TakesWhatFitsItsTypeWithoutLoss) {
  using detail::ConvertsWithoutLoss;
  static_assert(ConvertsWithoutLoss<int, std::int64_t>);
  static_assert(ConvertsWithoutLoss<int, double>);
  static_assert(ConvertsWithoutLoss<float, double>);
  static_assert(ConvertsWithoutLoss<std::uint32_t, std::int64_t>);
  static_assert(!ConvertsWithoutLoss<std::int64_t, double>);
  static_assert(!ConvertsWithoutLoss<std::uint64_t, std::int64_t>);
  static_assert(!ConvertsWithoutLoss<int, std::uint64_t>);
  static_assert(!ConvertsWithoutLoss<double, float>);
  static_assert(!ConvertsWithoutLoss<double, std::int64_t>);
  static_assert(!ConvertsWithoutLoss<long double, double>);
  Incumbent<double> least;
  EXPECT_TRUE(least.offer(7));
  EXPECT_TRUE(least.offer(3.5F));
  EXPECT_EQ(least.value(), 3.5);
}

}  // namespace
}  // namespace cleave
