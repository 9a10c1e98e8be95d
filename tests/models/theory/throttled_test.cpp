// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/theory/clean.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/samples.hpp"
#include "models/theory/statistics.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

/// A run of sort at 1M on `ranks` ranks, 3 repetitions on cores so many times as slow as free ones.
Trace run_of(double slower, int ranks = 1) {
  Trace trace = synthetic_trace({}, ranks, {{"N", 1 << 20}});
  set_probe(trace, slower);
  return trace;
}

double median_seconds(const Measurements& measurements) {
  EXPECT_EQ(measurements.points.size(), 1U);
  return median(measurements.points.front().seconds);
}

TEST(Throttled, RepetitionsAreLeftOutWhereTheSameRunHasOthers) {
  const double expected = median_seconds(collect_measurements(std::vector{run_of(1)}));
  const std::vector<Trace> traces = {run_of(1.3), run_of(1.05), run_of(1), run_of(1.09)};
  const Measurements measurements = collect_measurements(traces);
  EXPECT_EQ(measurements.points.front().seconds.size(), 6U);
  EXPECT_EQ(measurements.samples.front().seconds.size(), 6U);
  EXPECT_LT(median_seconds(measurements), 1.06 * expected);
  ASSERT_EQ(measurements.notes.size(), 1U);
  EXPECT_EQ(measurements.notes.front(),
            "6 of 12 repetitions left out: a core was slower then than in other runs");

  const Measurements all = collect_measurements(traces, Throttled::counted);
  EXPECT_EQ(all.points.front().seconds.size(), 12U);
  EXPECT_TRUE(all.notes.empty());
}

TEST(Throttled, ARunThatWasNeverFreeKeepsTheLeastThrottled) {
  std::vector<Trace> traces = {run_of(1)};
  for (const double slower : {1.2, 1.25, 1.5}) {
    Trace& trace = traces.emplace_back(synthetic_trace({}, 1, {{"N", 1 << 21}}));
    set_probe(trace, slower);
  }
  const Measurements measurements = collect_measurements(traces);
  ASSERT_EQ(measurements.points.size(), 2U);
  EXPECT_EQ(measurements.points[1].seconds.size(), 6U);
  ASSERT_EQ(measurements.notes.size(), 2U);
  EXPECT_EQ(measurements.notes[1],
            "1 run whose every repetition found a core slower than other runs did, fitted all the "
            "same: measure them again on an idle machine");
}

TEST(Throttled, CoresAreComparedWithinOneHostAndNumberOfRanks) {
  std::vector<Trace> traces = {run_of(1), run_of(1.5, 2), run_of(1.5)};
  traces[2].run.provenance.host = "another";
  EXPECT_TRUE(CountedRepetitions(traces).notes().empty());
}

TEST(Throttled, ARunThatWasFreeOnASlowerHostIsNotTakenFromTheOther) {
  std::vector<Trace> traces = {run_of(1.25), synthetic_trace({}, 1, {{"N", 1 << 21}}), run_of(1.5)};
  set_probe(traces[1], 1);
  traces[2].run.provenance.host = "another";
  const CountedRepetitions counted(traces);
  EXPECT_FALSE(counted.counts(traces[0], traces[0].repetitions.back()));
  EXPECT_TRUE(counted.counts(traces[2], traces[2].repetitions.back()));
}

TEST(Throttled, RunsThatDoNotTellAreFree) {
  const std::vector<Trace> traces = {synthetic_trace({}, 1, {{"N", 1 << 20}}), run_of(1.5),
                                     run_of(1)};
  const CountedRepetitions counted(traces);
  EXPECT_EQ(counted.free_repetitions(traces[0]), 3);
  EXPECT_EQ(counted.free_repetitions(traces[1]), 0);
  EXPECT_EQ(counted.free_repetitions(traces[2]), 3);
  for (const Trace::Run& run : traces[0].repetitions) {
    EXPECT_EQ(counted.counts(traces[0], run), !run.warm_up);
  }
}

TEST(Throttled, AMachineThatOthersUseMostOfTheTimeIsFittedAsAFreeOne) {
  // Of five rounds, three are throttled by a third, other ones at each size.
  std::vector<Trace> traces;
  int index = 0;
  for (const NamedSizes& sizes : sort_sizes()) {
    for (int round = 0; round < 5; ++round) {
      traces.push_back(synthetic_trace({}, 1, sizes));
      set_probe(traces.back(), (round + index) % 5 < 3 ? 1.33 : 1);
    }
    ++index;
  }
  const auto nanoseconds_of = [&traces](Throttled throttled) {
    const Model model =
        fit_model(collect_measurements(traces, throttled), std::nullopt, {}, Provenance{});
    const Fit& fit = model.hypercube()->find(Block::sequential)->fit;
    EXPECT_EQ(fit.text(), "N*log2(N)");
    return 1e9 * fit.coefficients.at(1)[0];
  };
  EXPECT_NEAR(nanoseconds_of(Throttled::left_out), 4, 0.01);
  EXPECT_GT(nanoseconds_of(Throttled::counted), 4.5);
}

}  // namespace
}  // namespace cleave::models
