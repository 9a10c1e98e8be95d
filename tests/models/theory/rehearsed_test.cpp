// SPDX-License-Identifier: Apache-2.0
// What is known at a place beside the laws: runs, rehearsals, and messages that were measured.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <ranges>

#include <cleave/error.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

const NamedSizes kLarge = {{"N", 64 << 20}};

/// A sort whose leaves take half as long again beyond 4 Mi elements, where they leave a cache.
SyntheticApp sort_with_cache() {
  SyntheticApp app;
  app.noise = 0.005;
  app.sequential = [](const NamedSizes& s) {
    const auto n = static_cast<double>(s.at("N"));
    return (s.at("N") > (4 << 20) ? 6e-9 : 4e-9) * n * std::log2(n);
  };
  return app;
}

/// Fitted to runs of up to 2 Mi elements on up to 4 ranks, and to more traces.
Model model_of(const std::vector<Trace>& more = {}) {
  static const std::vector<Trace> runs =
      synthetic_traces(sort_with_cache(), {1, 2, 4},
                       {{{"N", 1 << 18}}, {{"N", 1 << 19}}, {{"N", 1 << 20}}, {{"N", 1 << 21}}});
  return fit_model(collect_measurements(runs, more), std::nullopt, {}, {});
}

/// Rank 0 of 8, at the very size.
Trace rehearsal_of_rank_0(const SyntheticApp& app = sort_with_cache()) {
  Trace trace = synthetic_rehearsal(app, 8, kLarge, 5);
  trace.run.ranks_per_host = 8;
  return trace;
}

Prediction predicted(const Model& model) {
  return predict(model, 8, kLarge, {.ranks_per_host = 8});
}

double truth_s() {
  const Trace run = synthetic_trace(sort_with_cache(), 8, kLarge);
  return 1e-9 * static_cast<double>(run.repetitions[1].elapsed_ns);
}

TEST(Rehearsal, DominatesAtItsPlaceAndItsNeighboursFollow) {
  const Prediction by_law = predicted(model_of());
  EXPECT_LT(by_law.seconds, 0.85 * truth_s());
  const Model model = model_of({rehearsal_of_rank_0()});
  const Prediction rehearsed = predicted(model);
  EXPECT_NEAR(rehearsed.seconds / truth_s(), 1, 0.03);
  EXPECT_EQ(rehearsed.reach, 0);
  EXPECT_LT(rehearsed.low, truth_s());
  EXPECT_GT(rehearsed.high, truth_s());
  const Prediction next = predict(model, 8, {{"N", (64 << 20) + 1}}, {.ranks_per_host = 8});
  EXPECT_NEAR(next.seconds / rehearsed.seconds, 1, 1e-3);
  EXPECT_GT(next.reach, 0);
}

/// Half of the interval on the scale of logarithms.
double half_width_of(const Prediction& prediction) {
  return std::log(prediction.high / prediction.low) / 2;
}

TEST(Rehearsal, IsNeverKnownMoreNarrowlyThanRehearsalsAre) {
  SyntheticApp app = sort_with_cache();
  app.noise = 0;
  EXPECT_NEAR(half_width_of(predicted(model_of({rehearsal_of_rank_0(app)}))), 1.96 * 1.4826 * 0.02,
              0.02);
}

TEST(Rehearsal, IsWiderWhereOtherRanksShareTheHostThanWereRehearsedAtOnce) {
  Trace alone = rehearsal_of_rank_0();
  alone.run.ranks_per_host = 1;
  EXPECT_GT(half_width_of(predicted(model_of({alone}))),
            1.2 * half_width_of(predicted(model_of({rehearsal_of_rank_0()}))));
}

TEST(Rehearsal, IsARowOfTheLawsOfItsBlocks) {
  const Model model = model_of({rehearsal_of_rank_0()});
  const Law& divide = model.hypercube()->find(Block::divide)->law;
  EXPECT_EQ(divide.range.at("N").second, 64 << 20);
  EXPECT_EQ(model.fitted.size(), 12U) << "runs alone";
  EXPECT_EQ(std::ranges::count(model.known, KnownRun::Kind::rehearsal, &KnownRun::kind), 1);
  EXPECT_EQ(std::ranges::count(model.known, KnownRun::Kind::run, &KnownRun::kind), 12);
}

double seconds_of_block(const Prediction& prediction, Block block) {
  double seconds = 0;
  for (const BlockShare& share : prediction.shares) {
    seconds += share.block == block ? share.seconds : 0;
  }
  return seconds;
}

/// A call of 8 ranks on 4 hosts whose functors do nothing, but for what their blocks took: 30 ms.
Trace messages_of_30_ms() {
  Trace messages = synthetic_trace(sort_with_cache(), 8, kLarge, 5);
  messages.run.app = app_of_messages(messages.run.app);
  messages.run.ranks_per_host = 2;
  std::erase_if(messages.spans,
                [](const Trace::RankSpan& of) { return of.span.block != Block::combine; });
  for (Trace::Run& run : messages.repetitions) {
    std::map<int, std::int64_t> work;
    for (const auto& [rank, span] : messages.spans) {
      work[rank] += span.repetition == run.index ? span.end_ns - span.begin_ns : 0;
    }
    run.elapsed_ns = 30'000'000 + std::ranges::max(std::views::values(work));
  }
  return messages;
}

TEST(Messages, ThatWereMeasuredAreTakenBesideThoseByLatencyAndGap) {
  Trace rehearsal = rehearsal_of_rank_0();
  rehearsal.run.ranks_per_host = 2;
  const Model model = model_of({rehearsal, messages_of_30_ms()});
  const Prediction measured = predict(model, 8, kLarge);
  EXPECT_EQ(measured.ranks_per_host, 2) << "as they were measured";
  double messages_s = 0;
  for (const BlockShare& share : measured.shares) {
    messages_s += share.is_message ? share.seconds : 0;
  }
  EXPECT_NEAR(messages_s, 0.03, 0.003);
  double without = 0;
  for (const auto& [rank, span] : rehearsal.spans) {
    without += span.repetition == 1 ? 1e-9 * static_cast<double>(span.end_ns - span.begin_ns) : 0;
  }
  EXPECT_NEAR(measured.seconds / (without + 0.03), 1, 0.04);
  Model elsewhere = model;
  elsewhere.set_network(with_machine(model.network, preset_machine("infiniband-hdr")));
  EXPECT_LT(predict(elsewhere, 8, kLarge, {.ranks_per_host = 2}).seconds, measured.seconds)
      << "another network has other messages";
  Trace of_another = messages_of_30_ms();
  of_another.run.app = "messages of components";
  EXPECT_THROW(model_of({of_another}), UsageError);
}

TEST(Rehearsal, HasALeafThatIsAsLongAsItsSizesSay) {
  const Trace even = rehearsal_of_rank_0();
  Trace uneven = even;
  // The preparation: rank 5 has twice as much to solve as rank 0.
  for (const Trace::RankSpan& of : even.spans) {
    if (of.span.repetition == 0 && of.span.block == Block::sequential) {
      uneven.spans.push_back({5, of.span});
      uneven.spans.back().span.size_values[0] *= 2;
    }
  }
  const double leaf_s = seconds_of_block(predicted(model_of({even})), Block::sequential);
  EXPECT_GT(seconds_of_block(predicted(model_of({uneven})), Block::sequential), 1.8 * leaf_s);
}

TEST(Rehearsal, AloneIsNoMeasurement) {
  const Trace rehearsal = rehearsal_of_rank_0();
  EXPECT_THROW(collect_measurements({&rehearsal, 1}), UsageError);
  Trace other = rehearsal;
  other.run.app = "search";
  EXPECT_THROW(model_of({other}), UsageError);
}

TEST(Neighbours, LieInEachOthersIntervals) {
  const Model model = model_of({rehearsal_of_rank_0()});
  std::mt19937 random(11);
  const auto expect_near = [&](const Prediction& a, const Prediction& b) {
    EXPECT_TRUE(a.low <= b.seconds && b.seconds <= a.high && b.low <= a.seconds &&
                a.seconds <= b.high)
        << a.ranks << " and " << b.ranks << " ranks, N=" << a.sizes.at("N") << ": " << a.seconds
        << " and " << b.seconds;
  };
  for (int i = 0; i < 200; ++i) {
    const int ranks = 1 + static_cast<int>(random() % 64);
    const std::int64_t n = (1 << 18) << (random() % 9);
    const std::int64_t size = n + static_cast<std::int64_t>(random() % 3) - 1;
    const PredictOptions options{.ranks_per_host = 128};
    const Prediction here = predict(model, ranks, {{"N", size}}, options);
    expect_near(here, predict(model, ranks, {{"N", size + 1}}, options));
    const bool has_another_level = (ranks & (ranks - 1)) == 0;
    if (ranks > 16 && !has_another_level) {
      expect_near(here, predict(model, ranks + 1, {{"N", size}}, options));
    }
  }
}

TEST(HeldOut, AreTheLargestSizeAndWhatWasRehearsedToo) {
  SyntheticApp app;
  app.noise = 0.01;
  const std::vector<Trace> runs = synthetic_traces(app, {1, 2}, sort_sizes());
  const Model of_runs = fit_model(collect_measurements(runs), std::nullopt, {}, {});
  ASSERT_EQ(of_runs.verdict.checks.size(), 2U);
  EXPECT_NEAR(of_runs.verdict.checks[0].reach, 1, 1e-9) << "32 M, by 16 M";
  EXPECT_EQ(of_runs.fitted.size(), 12U) << "all are fitted then";
  EXPECT_EQ(predict(of_runs, 2, {{"N", 64 << 20}}).state, State::checked);
  EXPECT_EQ(predict(of_runs, 2, {{"N", 256 << 20}}).state, State::not_checked);
  std::vector<Trace> rehearsals;
  for (const int ranks : {1, 2, 8}) {
    rehearsals.push_back(synthetic_rehearsal(app, ranks, sort_sizes().back()));
    rehearsals.back().run.ranks_per_host = std::min(ranks, 2);
  }
  const Model of_both = fit_model(collect_measurements(runs, rehearsals), std::nullopt, {}, {});
  const auto at_its_place = [](const Check& check) { return check.reach < 0.01; };
  const auto rehearsed_too = std::ranges::count_if(of_both.verdict.checks, at_its_place);
  EXPECT_EQ(rehearsed_too, 2) << "two runs by their rehearsals";
  EXPECT_EQ(std::ranges::count(of_both.verdict.checks, true, &Check::is_rehearsed), 3);
  EXPECT_NEAR(of_both.verdict.reach(), 3, 1e-9) << "8 ranks and 32 M, by 2 ranks and 16 M";
}

}  // namespace
}  // namespace cleave::models
