// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include <cleave/error.hpp>
#include <cleave/size_step.hpp>

namespace cleave {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(SizeStep, AllowsPowersOrMultiplesAlone) {
  const SizeStep powers = PowersOf{3};
  const SizeStep multiples = MultiplesOf{6};
  for (const std::int64_t count : {1, 3, 9, 27}) {
    EXPECT_TRUE(powers.allows(count)) << count;
  }
  for (const std::int64_t count : {2, 6, 12, 28}) {
    EXPECT_FALSE(powers.allows(count)) << count;
    EXPECT_EQ(multiples.allows(count), count % 6 == 0) << count;
  }
  EXPECT_TRUE(SizeStep().allows(7));
}

TEST(SizeStep, NearestIsAllowedAndNearestByRatio) {
  const SizeStep powers = PowersOf{2};
  EXPECT_EQ(powers.nearest(1), 1);
  EXPECT_EQ(powers.nearest(11), 8);
  EXPECT_EQ(powers.nearest(12), 16);
  const SizeStep multiples = MultiplesOf{64};
  EXPECT_EQ(multiples.nearest(1), 64);
  EXPECT_EQ(multiples.nearest(90), 64);
  EXPECT_EQ(multiples.nearest(91), 128);
  for (const SizeStep& step : {powers, multiples, SizeStep(PowersOf{10}), SizeStep()}) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{999'999'999}, kMax}) {
      EXPECT_TRUE(step.allows(step.nearest(count))) << step.text() << ", " << count;
    }
  }
}

TEST(SizeStep, IsReadBackAsItWasWritten) {
  for (const SizeStep& step : {SizeStep(PowersOf{2}), SizeStep(MultiplesOf{64})}) {
    EXPECT_EQ(SizeStep::parse(step.text()).text(), step.text());
  }
  EXPECT_EQ(SizeStep(PowersOf{2}).text(), "powers of 2");
  EXPECT_EQ(SizeStep(MultiplesOf{64}).text(), "multiples of 64");
  for (const char* const wrong : {"", "powers of ", "powers of 1", "multiples of 0", "primes"}) {
    EXPECT_THROW(SizeStep::parse(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace cleave
