// SPDX-License-Identifier: Apache-2.0
// The time that remains of repeated steps and of searches, on work whose end is known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <cleave/program/remaining.hpp>

namespace cleave::detail {
namespace {

/// Steps whose times are known to the test alone.
struct Work {
  std::vector<Steps::Step> steps;
  std::vector<double> seconds;

  double seconds_from(std::size_t first) const {
    double sum = 0;
    for (std::size_t i = first; i < seconds.size(); ++i) {
      sum += seconds[i];
    }
    return sum;
  }
};

/// Whether the range holds the end at the moment that `part` of all time has passed.
bool holds(const Work& work, double part) {
  Steps steps;
  for (const Steps::Step& step : work.steps) {
    steps.add(step);
  }
  const double moment = part * work.seconds_from(0);
  double passed = 0;
  std::size_t i = 0;
  for (; passed + work.seconds[i] <= moment; ++i) {
    steps.complete(work.seconds[i]);
    passed += work.seconds[i];
  }
  const auto range = steps.remaining_s(moment - passed);
  const double rest = work.seconds_from(0) - moment;
  return range && range->low <= rest && rest <= range->high;
}

/// How many of 1,000 works the range holds the end of, at a fifth, a half and four fifths.
std::vector<int> held_of_1000(const std::function<Work(std::mt19937_64&)>& draw) {
  std::vector<int> held;
  for (const double part : {0.2, 0.5, 0.8}) {
    std::mt19937_64 random(7);
    held.push_back(0);
    for (int i = 0; i < 1000; ++i) {
      held.back() += holds(draw(random), part) ? 1 : 0;
    }
  }
  return held;
}

TEST(Remaining, IsNotKnownBeforeTheFirstStepIsDone) {
  Steps steps;
  steps.add({});
  steps.add({});
  EXPECT_FALSE(steps.remaining_s(1));
  steps.complete(2);
  EXPECT_TRUE(steps.remaining_s(0));
}

TEST(Remaining, OfNoStepsIsNone) {
  Steps steps;
  steps.add({});
  steps.complete(2);
  const auto range = steps.remaining_s(0);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, 0);
  EXPECT_EQ(range->high, 0);
}

TEST(Remaining, HoldsTheEndOfRepetitions) {
  const auto draw = [](std::mt19937_64& random) {
    std::lognormal_distribution<double> noise(0, 0.08);
    Work work;
    for (int i = 0; i < 12; ++i) {
      work.steps.push_back({.kind = i == 0 ? 0 : 1});
      work.seconds.push_back((i == 0 ? 1.15 : 1) * noise(random));
    }
    return work;
  };
  for (const int held : held_of_1000(draw)) {
    EXPECT_GE(held, 900);
  }
}

TEST(Remaining, HoldsTheEndOfStudiesOfUnequalSizes) {
  // Three rounds of growing sizes, each also on half the time: what it takes to start a run makes
  // the line over weights bent.
  const auto draw = [](std::mt19937_64& random) {
    std::lognormal_distribution<double> noise(0, 0.06);
    std::uniform_real_distribution<double> exponent(0.8, 1.2);
    std::uniform_real_distribution<double> start(0, 0.3);
    const double power = exponent(random);
    const double start_s = start(random);
    Work work;
    for (int round = 0; round < 3; ++round) {
      for (int size = 0; size < 10; ++size) {
        for (int workers = 1; workers <= 2; ++workers) {
          const double weight = std::pow(1.33, size) / workers;
          work.steps.push_back({.kind = 2 * size + workers, .weight = weight});
          work.seconds.push_back(start_s + std::pow(weight, power) * noise(random));
        }
      }
    }
    return work;
  };
  for (const int held : held_of_1000(draw)) {
    EXPECT_GE(held, 900);
  }
}

TEST(Remaining, NarrowsAsStepsAreDone) {
  Steps steps;
  for (int i = 0; i < 20; ++i) {
    steps.add({});
  }
  double width = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 19; ++i) {
    steps.complete(i % 2 == 0 ? 1 : 1.02);
    const auto range = steps.remaining_s(0);
    ASSERT_TRUE(range);
    EXPECT_LT(range->high - range->low, width);
    width = range->high - range->low;
  }
}

TEST(Remaining, TellsTheFractionThatHasPassed) {
  Steps steps;
  steps.add({});
  steps.add({});
  EXPECT_EQ(steps.fraction(5, {}), 0);
  EXPECT_EQ(steps.fraction(5, Range{0, 10}), 0.5);
  steps.complete(5);
  EXPECT_EQ(steps.fraction(5, {}), 0.5);
  steps.complete(5);
  EXPECT_EQ(steps.fraction(10, Range{}), 1);
}

TEST(Remaining, OfALateStepIsNotOver) {
  Steps steps;
  steps.add({});
  steps.add({});
  steps.complete(1);
  const auto range = steps.remaining_s(5);
  ASSERT_TRUE(range);
  EXPECT_GT(range->high, 1);
}

TEST(Remaining, IsWhatIsExpectedWhileNothingElseIsKnown) {
  Steps steps;
  steps.add({.kind = 0, .expected_s = Range{50, 70}});
  const auto range = steps.remaining_s(20);
  ASSERT_TRUE(range);
  EXPECT_GT(range->low, 20);
  EXPECT_LT(range->low, 40);
  EXPECT_GT(range->high, 40);
  EXPECT_LT(range->high, 60);
}

TEST(Remaining, AddsWhatIsExpectedOfALastStepToWhatIsJudged) {
  // The last step may take 0.5 to 20 s, and takes 1 s: ten steps of 1 s each end well before the
  // middle of the range.
  Steps steps;
  for (int i = 0; i < 10; ++i) {
    steps.add({});
  }
  steps.add({.kind = 1, .expected_s = Range{0.5, 20}});
  for (int i = 0; i < 5; ++i) {
    steps.complete(1);
  }
  const auto range = steps.remaining_s(0);
  ASSERT_TRUE(range);
  EXPECT_GT(range->low, 4);
  EXPECT_LT(range->low, 6);
  EXPECT_GT(range->high, 24);
}

TEST(Remaining, LeavesOutUncertainStepsAtTheLowerEnd) {
  Steps steps;
  for (int i = 0; i < 10; ++i) {
    steps.add({});
  }
  for (int i = 0; i < 4; ++i) {
    steps.complete(1);
  }
  const auto sure = steps.remaining_s(0);
  for (int i = 0; i < 10; ++i) {
    steps.add({});
  }
  const auto maybe = steps.remaining_s(0, {}, 10);
  ASSERT_TRUE(sure && maybe);
  EXPECT_DOUBLE_EQ(maybe->low, sure->low);
  EXPECT_GT(maybe->high, 14);
}

TEST(Remaining, OfASearchIsItsRestAtItsPace) {
  const auto range = rest_of_search_s(1000, 10, {3900, 4100}, 0.05);
  ASSERT_TRUE(range);
  EXPECT_LT(range->low, 30);
  EXPECT_GT(range->low, 25);
  EXPECT_GT(range->high, 30);
  EXPECT_LT(range->high, 35);
}

TEST(Remaining, OfASearchBeyondItsEstimateIsNotKnown) {
  EXPECT_FALSE(rest_of_search_s(5000, 10, {3900, 4100}, 0.05));
  EXPECT_FALSE(rest_of_search_s(0, 10, {3900, 4100}, 0.05));
}

TEST(Remaining, IsSaidInTheUnitOfItsEnd) {
  EXPECT_EQ(format_range({31.2, 36.4}), "31 to 36 s");
  EXPECT_EQ(format_range({1.24, 2.1}), "1.2 to 2.1 s");
  EXPECT_EQ(format_range({0.2, 0.5}), "less than 1 s");
  EXPECT_EQ(format_range({200, 290}), "3.3 to 4.8 min");
  EXPECT_EQ(format_range({5400, 7560}), "1.5 to 2.1 h");
  EXPECT_EQ(format_duration(59), "59 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
}

}  // namespace
}  // namespace cleave::detail
