// SPDX-License-Identifier: Apache-2.0
// What `cleave compare` promises: how often it says that a program differs from itself, and how
// often it finds a slower block. Judged on traces whose noise is that of real hosts.
#include "models/report/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "tests/models/synthetic_runs.hpp"
#include "tests/support/number_of.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

constexpr double kProbability = 0.95;

TimesOfSide side_with(const std::vector<double>& rounds) {
  TimesOfSide side;
  int round = 0;
  for (const double seconds : rounds) {
    side[{1, 1, {{"N", 8}}}][round++] = seconds;
  }
  return side;
}

TEST(DifferenceOf, SidesIsTheRatioOfTheirQuietRounds) {
  const std::vector<double> quiet = {1, 1.01, 1, 1.01, 1, 1};
  struct Case {
    std::vector<double> first, second;
    double ratio;
    bool is_slower, is_none;
  };
  for (const auto& [first, second, ratio, is_slower, is_none] :
       {Case{quiet, {1.1, 1.11, 1.1, 1.11}, 1.1, true, false},
        Case{quiet, {1, 1.01, 1.8, 1.01, 1.6, 1}, 1, false, true},
        Case{{1}, {100, 100, 100}, 100, false, false}}) {
    const Difference d = difference_of(side_with(first), side_with(second), kProbability);
    EXPECT_NEAR(d.ratio, ratio, 0.02 * ratio);
    EXPECT_EQ(d.is_slower(), is_slower) << ratio;
    EXPECT_EQ(d.is_none(), is_none) << ratio;
    EXPECT_EQ(d.rounds, std::min(first.size(), second.size()));
  }
}

TEST(DifferenceOf, RunsThatOneSideLacksDoNotCount) {
  TimesOfSide second = side_with({1, 1, 1});
  second[{2, 1, {{"N", 8}}}] = {{0, 9}, {1, 9}, {2, 9}};
  const Difference d = difference_of(side_with({1, 1, 1}), second, kProbability);
  EXPECT_EQ(d.runs, 1);
  EXPECT_NEAR(d.ratio, 1, 1e-6);
  EXPECT_EQ(difference_of(side_with({1, 1}), {}, kProbability).rounds, 0);
}

TEST(DifferenceOf, InputsThatDifferByRoundAreComparedRoundByRound) {
  TimesOfSide first;
  TimesOfSide second;
  for (int round = 0; round < 6; ++round) {
    const RunOfSide run{1, 1, {{"nodes", 100 + round}}};
    first[run][round] = 1 + round;
    second[run][round] = 1.2 * (1 + round);
  }
  const Difference d = difference_of(first, second, kProbability);
  EXPECT_NEAR(d.ratio, 1.2, 1e-6);
  EXPECT_TRUE(d.is_slower());
}

/// Repetitions that bursts of other work make 1.3 to 2 times as long, in `busy` of the time: how
/// many times for want of a core, and by noise.
class Bursts {
 public:
  Bursts(double deviation, double busy, std::mt19937_64& random)
      : deviation_(deviation), busy_(busy), random_(random) {}

  std::pair<double, double> next() {
    constexpr double kPersist = 0.8;
    if (uniform(0, 1) > kPersist || level_ == 0) {
      level_ = uniform(0, 1) < busy_ ? uniform(1.3, 2) : 1;
    }
    const double noise = std::normal_distribution<double>(0, deviation_)(random_);
    return {level_, std::exp(uniform(0, 1) < 0.5 ? std::abs(noise) : noise)};
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  double deviation_;
  double busy_;
  std::mt19937_64& random_;
  double level_ = 0;
};

/// Makes each repetition as many times as long as `slowness` says.
void disturb(Trace& trace, Bursts& slowness) {
  std::vector<std::pair<double, double>> factors;
  for (Trace::Run& run : trace.repetitions) {
    const auto& [level, noise] = factors.emplace_back(slowness.next());
    run.elapsed_ns = std::llround(level * noise * static_cast<double>(run.elapsed_ns));
  }
  for (auto& [rank, span] : trace.spans) {
    const auto& [level, noise] = factors[static_cast<std::size_t>(span.repetition)];
    const double factor = level * noise;
    span.begin_ns = std::llround(factor * static_cast<double>(span.begin_ns));
    span.end_ns = std::llround(factor * static_cast<double>(span.end_ns));
    span.run_delay_ns =
        static_cast<float>((1 - 1 / level) * 1e9 * seconds_of(span.end_ns - span.begin_ns));
  }
}

/// A program and a version of it whose divide takes `slower` times as long, run in turn.
Comparison compared(double slower, double busy, std::mt19937_64& random) {
  constexpr int kRounds = 8;
  constexpr int kRepetitions = 5;
  const std::vector<NamedSizes> sizes = {{{"N", 1 << 20}}, {{"N", 1 << 21}}, {{"N", 1 << 22}}};
  const double deviation = std::array{0.005, 0.01, 0.03}[random() % 3];
  SyntheticApp before;
  before.noise = 0.003;
  before.divide = [](const NamedSizes& s) { return 3e-8 * static_cast<double>(s.at("N")); };
  SyntheticApp after = before;
  after.divide = [&, slower](const NamedSizes& s) { return slower * before.divide(s); };
  Bursts bursts(deviation, busy, random);
  std::vector<std::vector<Trace>> traces(2);
  for (int round = 0; round < kRounds; ++round) {
    for (const NamedSizes& size : sizes) {
      for (const int side : {round % 2, 1 - round % 2}) {
        SyntheticApp& app = side == 0 ? before : after;
        app.seed = static_cast<unsigned>(random());
        Trace trace = synthetic_trace(app, 2, size, kRepetitions);
        disturb(trace, bursts);
        traces[static_cast<std::size_t>(side)].push_back(std::move(trace));
      }
    }
  }
  return compare_sides(
      {side_of("old", std::move(traces[0])), side_of("new", std::move(traces[1]))});
}

bool finds(const Comparison& comparison, const std::string& what) {
  return std::ranges::any_of(comparison.things, [&](const ComparedThing& thing) {
    return thing.what == what && thing.difference.is_slower();
  });
}

/// CLEAVE_DRAWS comparisons of each kind (100); the target `referee_compare` draws 400.
int draws() { return static_cast<int>(testing::number_of("CLEAVE_DRAWS", 100)); }

TEST(ComparePromise, AProgramDoesNotDifferFromItself) {
  std::mt19937_64 random(1);
  int alarms = 0;
  for (int i = 0; i < draws(); ++i) {
    const Comparison same = compared(1, i % 3 == 0 ? 0.4 : 0, random);
    alarms += std::ranges::any_of(same.things, [](const ComparedThing& thing) {
      return thing.difference.is_slower() || thing.difference.is_faster();
    });
  }
  RecordProperty("false_alarms", alarms);
  EXPECT_LE(alarms, draws() / 20) << "of " << draws();
}

TEST(ComparePromise, ABlockThatIsSlowerIsFound) {
  for (const auto& [slower, percent] : {std::pair(1.1, 95), std::pair(1.05, 70)}) {
    std::mt19937_64 random(2);
    int found = 0;
    for (int i = 0; i < draws(); ++i) {
      found += finds(compared(slower, i % 3 == 0 ? 0.4 : 0, random), "divide") ? 1 : 0;
    }
    RecordProperty(percent == 95 ? "found_10_percent" : "found_5_percent", found);
    EXPECT_GE(found, draws() * percent / 100) << "of " << draws() << ", " << slower;
  }
}

TEST(Comparison, SaysWhatElseDiffersThanTheProgram) {
  const auto side = [](double seconds, const std::string& processor, const std::string& key) {
    std::vector<Trace> traces;
    for (unsigned round = 0; round < 4; ++round) {
      SyntheticApp app;
      app.seed = round;
      app.divide = [seconds](const NamedSizes& s) {
        return seconds * static_cast<double>(s.at("N"));
      };
      Trace trace = synthetic_trace(app, 2, {{"N", 1 << 20}}, 3);
      trace.run.provenance.processor = processor;
      if (!key.empty()) {
        trace.run.options = {{"key", key}};
      }
      traces.push_back(std::move(trace));
    }
    return side_of(processor + key, std::move(traces));
  };
  const Comparison same = compare_sides({side(3e-8, "a", "x"), side(6e-8, "a", "x")});
  EXPECT_TRUE(same.others.empty());
  EXPECT_EQ(same.summary().find("alone"), std::string::npos);
  for (const auto& [first, second] : {std::pair("x", ""), std::pair("", "x")}) {
    EXPECT_EQ(compare_sides({side(3e-8, "a", first), side(6e-8, "a", second)}).others,
              (std::set<std::string>{"key"}));
  }
  const Comparison other = compare_sides({side(3e-8, "a", "x"), side(6e-8, "b", "y")});
  EXPECT_EQ(other.others, (std::set<std::string>{"key", "processor"}));
  EXPECT_TRUE(other.summary().starts_with("slower: ")) << other.summary();
  EXPECT_TRUE(
      other.summary().ends_with("; not by the program alone, which had another key, processor"))
      << other.summary();
}

TEST(Comparison, SaysTheWholeCallFirstAndTheLeastThatIsCertain) {
  const auto thing = [](const char* what, double ratio, double low, double high) {
    return ComparedThing{.what = what,
                         .difference = {.ratio = ratio, .low = low, .high = high, .rounds = 8}};
  };
  Comparison comparison{
      .sides = {"old", "new"},
      .things = {thing("whole call", 1.041, 1.02, 1.06), thing("divide", 1.103, 1.08, 1.13)}};
  EXPECT_EQ(comparison.summary(),
            "slower: whole call +4.1 % (95 %: +2 to +6), divide +10.3 % (95 %: +8 to +13)");
  EXPECT_EQ(comparison.max_ratio(), 1.08);
  comparison.things.back() = thing("divide", 5, 4.9, 5.1);
  EXPECT_NE(table_of(comparison).rows.back().at(3).shown, "") << "narrow, however far off";
  comparison.things = {thing("whole call", 1, 0.99, 1.01)};
  EXPECT_EQ(comparison.summary(), "no difference: whole call +0.0 % (95 %: -1 to +1)");
}

}  // namespace
}  // namespace cleave::models
