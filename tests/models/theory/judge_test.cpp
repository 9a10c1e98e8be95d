// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/samples.hpp"
#include "models/theory/statistics.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

/// A round of sort at 1M on one rank, 3 repetitions that take so many times as long.
Trace round_of(double slower) {
  Trace trace = synthetic_trace({}, 1, {{"N", 1 << 20}});
  make_slower(trace, slower);
  return trace;
}

TEST(Quiet, TheFasterHalfOfAllRoundsCounts) {
  const std::vector<Trace> traces = {round_of(1.3), round_of(1), round_of(1.01), round_of(1.5)};
  const Measurements measurements = collect_measurements(traces);
  ASSERT_EQ(measurements.points.size(), 1U);
  EXPECT_EQ(measurements.points.front().seconds.size(), 12U) << "all are kept";
  EXPECT_EQ(measurements.samples.front().seconds.size(), 6U);
  const double expected = seconds_of(traces[1].repetitions.back().elapsed_ns);
  EXPECT_NEAR(quiet_time(measurements.points.front().seconds), 1.005 * expected, 1e-3 * expected);
}

TEST(Quiet, RoundsThatAgreeAreHardlyDisturbed) {
  EXPECT_EQ(chance_disturbed({1}), 0.1);
  EXPECT_EQ(chance_disturbed({1, 1.04, 1.02}), 0.005);
  EXPECT_EQ(chance_disturbed({1, 1.06, 1.02}), 0.2);
  const std::vector<Trace> traces = {round_of(1), round_of(1.2)};
  EXPECT_EQ(collect_measurements(traces).points.front().disturbed, 0.2);
}

TEST(Quiet, AHostThatIsBusyTwoThirdsOfTheTimeIsFittedAsAQuietOne) {
  // Two rounds of three take a third longer, other ones at each size.
  std::vector<Trace> traces;
  int index = 0;
  for (const NamedSizes& sizes : sort_sizes()) {
    for (int round = 0; round < 3; ++round) {
      SyntheticApp app;
      app.noise = 0.002;
      app.seed = static_cast<unsigned>(traces.size()) + 1;
      traces.push_back(synthetic_trace(app, 1, sizes, 5));
      make_slower(traces.back(), (round + index) % 3 == 0 ? 1 : 1.33);
    }
    ++index;
  }
  const Model model = fit_model(collect_measurements(traces), std::nullopt, {}, Provenance{});
  const NamedSizes sizes = {{"N", 128 << 20}};
  const double expected = seconds_of(synthetic_trace({}, 1, sizes).repetitions.back().elapsed_ns);
  const Prediction prediction = predict(model, 1, sizes);
  EXPECT_NEAR(prediction.seconds, expected, 0.02 * expected);
  EXPECT_GT(prediction.run_high, prediction.high) << "a single run may be slower";
}

JudgedRun judged(double measured_s, double low, double high) {
  return {.run = {.sizes = {{"N", 8}}, .seconds = {measured_s}},
          .prediction = {.seconds = std::sqrt(low * high), .low = low, .high = high},
          .measured_s = measured_s,
          .relative_error = std::sqrt(low * high) / measured_s - 1,
          .held_out = true,
          .inside = low <= measured_s && measured_s <= high};
}

TEST(Verdict, IsByTheIntervalsOfHeldOutRuns) {
  EXPECT_FALSE(judge({}).trusted.has_value());
  std::vector<JudgedRun> runs(14, judged(1, 0.95, 1.05));
  EXPECT_EQ(judge(runs).sentence(),
            "trusted: 14 of 14 held-out runs in their intervals, median error 0.1 %");
  runs.push_back(judged(1.06, 0.95, 1.05));
  EXPECT_TRUE(judge(runs).trusted.value()) << "one in fifteen may be outside a 95 % interval";
  runs.resize(10, judged(1, 0.95, 1.05));
  runs[0] = runs[1] = judged(1.055, 0.95, 1.05);
  EXPECT_TRUE(judge(runs).trusted.value());
  runs[2] = runs[0];
  EXPECT_FALSE(judge(runs).trusted.value()) << "three of ten are more than chance allows";
  EXPECT_FALSE(judge({judged(1.12, 0.9, 1.1)}).trusted.value());
  runs.assign(14, judged(1, 0.95, 1.05));
  runs.push_back(judged(1.06, 0.95, 1.05));
  runs.push_back(judged(1.3, 0.95, 1.05));
  const Verdict far_off = judge(runs);
  EXPECT_FALSE(far_off.trusted.value());
  EXPECT_EQ(far_off.held_out, 16);
  EXPECT_EQ(far_off.inside, 14);
  EXPECT_TRUE(
      far_off.sentence().starts_with("not trusted: 1 rank, N=8 measured 1.3 s, predicted "
                                     "998.7 ms (950 ms to 1.05 s); 14 of 16 held-out runs"))
      << far_off.sentence();
}

TEST(Verdict, OfWideIntervalsIsNotTrusted) {
  std::vector<JudgedRun> runs(3, judged(1, 0.9, 1.1));
  runs.resize(5, judged(1, 0.7, 1.4));
  EXPECT_TRUE(judge(runs).trusted.value()) << "three of five are narrow";
  runs.push_back(judged(1, 0.7, 1.4));
  runs.push_back(judged(1, 0.3, 3));
  EXPECT_EQ(judge(runs).sentence(),
            "not trusted: too uncertain, intervals of +-35 %; 7 of 7 held-out runs in their "
            "intervals, median error 1.0 %. Better: measure sizes that differ more, nearer to "
            "those asked about, or more rounds (--rounds)");
  JudgedRun busy = judged(1.15, 0.95, 1.05);
  busy.spread = 0.12;
  busy.inside = true;
  const std::string said = judge({busy, busy}).sentence();
  EXPECT_TRUE(said.starts_with("not trusted: too uncertain, intervals of +-17 %; 2 of 2 ")) << said;
}

TEST(Verdict, SaysWhatMakesARehearsalNarrower) {
  JudgedRun wide = judged(1, 0.8, 1.25);
  wide.prediction.is_rehearsed = true;
  wide.prediction.ranks = 2;
  const std::string calibrate = judge({wide}).advice;
  EXPECT_NE(calibrate.find("(mpiexec -n 2 cleave-calibrate --out"), std::string::npos) << calibrate;
  wide.prediction.half_width_of_blocks = 0.2;
  EXPECT_NE(judge({wide}).advice.find("rehearse on an idle host"), std::string::npos);
}

TEST(Verdict, OfRehearsalsSaysThatTheLawIsNotJudged) {
  std::vector<JudgedRun> runs(2, judged(1, 0.95, 1.05));
  runs[0].prediction.is_rehearsed = true;
  EXPECT_EQ(judge(runs).sentence(true), judge(runs).sentence()) << "one is by the law";
  runs[1].prediction.is_rehearsed = true;
  const Verdict verdict = judge(runs);
  EXPECT_EQ(verdict.sentence(true), verdict.sentence() +
                                        "; all were rehearsed, the law of other sizes and ranks is "
                                        "not judged (cleave fit FOLDER --hold-out every-second "
                                        "does)");
}

}  // namespace
}  // namespace cleave::models
