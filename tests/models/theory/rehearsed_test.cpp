// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <map>
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

Model model_of_small_runs() {
  return fit_model(collect_measurements(synthetic_traces(
                       sort_with_cache(), {1, 2, 4},
                       {{{"N", 1 << 18}}, {{"N", 1 << 19}}, {{"N", 1 << 20}}, {{"N", 1 << 21}}})),
                   std::nullopt, {}, {});
}

/// Rank 0 of 8, at the very size.
Trace rehearsal_of_rank_0(const SyntheticApp& app = sort_with_cache()) {
  return synthetic_rehearsal(app, 8, kLarge, 5);
}

Prediction predicted(const Model& model, const std::vector<Trace>& rehearsals) {
  PredictOptions options{.ranks_per_host = 8};
  options.rehearsed = rehearsed_runs(model, rehearsals);
  return predict(model, 8, kLarge, options);
}

TEST(RehearsedRun, IsPredictedByItsBlocksAndNotByTheLaw) {
  const Model model = model_of_small_runs();
  const double truth =
      static_cast<double>(synthetic_trace(sort_with_cache(), 8, kLarge).repetitions[1].elapsed_ns) *
      1e-9;
  const Prediction by_law = predicted(model, {});
  EXPECT_FALSE(by_law.is_rehearsed);
  EXPECT_LT(by_law.seconds, 0.85 * truth);
  Trace rehearsal = rehearsal_of_rank_0();
  rehearsal.run.ranks_per_host = 8;
  const Prediction rehearsed = predicted(model, {rehearsal});
  EXPECT_TRUE(rehearsed.is_rehearsed);
  EXPECT_NEAR(rehearsed.seconds / truth, 1, 0.02);
  EXPECT_FALSE(rehearsed.outside_fitted_range);
  EXPECT_LT(rehearsed.low, truth);
  EXPECT_GT(rehearsed.high, truth);
  ASSERT_FALSE(rehearsed.remarks.empty());
  EXPECT_EQ(rehearsed.remarks.back(),
            "rehearsed: the blocks of 8 ranks were measured at these sizes");
}

TEST(RehearsedRun, SaysWhichLevelsItLacks) {
  Trace rehearsal = rehearsal_of_rank_0();
  std::erase_if(rehearsal.spans,
                [](const Trace::RankSpan& of_rank) { return of_rank.span.level < 2; });
  const Prediction short_of_memory = predicted(model_of_small_runs(), {rehearsal});
  EXPECT_NE(short_of_memory.remarks.back().find(
                "measured at these sizes, but those of level 0, 1, where the rehearsal had too"),
            std::string::npos)
      << short_of_memory.remarks.back();
  EXPECT_TRUE(short_of_memory.outside_fitted_range);
}

TEST(RehearsedRun, IsWiderWhereOtherRanksShareTheHostThanWereRehearsedAtOnce) {
  const Model model = model_of_small_runs();
  Trace together = rehearsal_of_rank_0();
  Trace alone = together;
  alone.run.ranks_per_host = 1;
  const Prediction of_alone = predicted(model, {alone});
  const Prediction of_together = predicted(model, {together});
  EXPECT_GT(of_alone.high / of_alone.low, 1.2 * of_together.high / of_together.low);
  EXPECT_NE(of_alone.remarks.back().find("rehearse under mpiexec -n 8"), std::string::npos);
}

/// Half of the interval on the scale of logarithms.
double half_width_of(const Prediction& prediction) {
  return std::log(prediction.high / prediction.low) / 2;
}

TEST(RehearsedRun, IsNeverKnownMoreNarrowlyThanRehearsalsAre) {
  constexpr double kMissed = 1.96 * 1.4826 * 0.02;
  SyntheticApp app = sort_with_cache();
  app.noise = 0;
  const Model model = model_of_small_runs();
  const Prediction still = predicted(model, {rehearsal_of_rank_0(app)});
  EXPECT_GE(half_width_of(still), kMissed);
  EXPECT_LT(half_width_of(still), 1.3 * kMissed);
  EXPECT_NEAR(half_width_of(still), std::hypot(kMissed, still.half_width_of_measured), 1e-9);
  EXPECT_EQ(predicted(model, {}).half_width_of_measured, 0) << "a law has an interval of its own";
}

TEST(RehearsedRun, IsOfItsRanksAndSizesAlone) {
  const Model model = model_of_small_runs();
  PredictOptions options{.ranks_per_host = 8};
  options.rehearsed = rehearsed_runs(model, std::vector{rehearsal_of_rank_0()});
  EXPECT_FALSE(predict(model, 4, kLarge, options).is_rehearsed);
  EXPECT_FALSE(predict(model, 8, {{"N", 32 << 20}}, options).is_rehearsed);
}

double seconds_of_block(const Prediction& prediction, Block block) {
  double seconds = 0;
  for (const BlockShare& share : prediction.shares) {
    seconds += share.block == block ? share.seconds : 0;
  }
  return seconds;
}

TEST(RehearsedRun, TakesMessagesThatWereMeasuredInPlaceOfLatencyAndGap) {
  Model model = model_of_small_runs();
  Trace rehearsal = rehearsal_of_rank_0();
  rehearsal.run.ranks_per_host = 2;
  // All of a run of 8 ranks on 4 hosts but its blocks: 30 ms.
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
  PredictOptions options{.rehearsed = rehearsed_runs(model, std::vector{rehearsal}),
                         .messages = {measured_messages(model, messages)}};
  EXPECT_NEAR(options.messages.front().seconds.median, 0.03, 1e-9);
  model.network = {};
  std::get<HypercubeModel>(model.parts).exchange.reset();
  const Prediction measured = predict(model, 8, kLarge, options);
  EXPECT_EQ(measured.ranks_per_host, 2);
  EXPECT_EQ(measured.shares.back().block, Block::exchange);
  EXPECT_NEAR(measured.shares.back().seconds, 0.03, 1e-9);
  double without = 0;
  for (const auto& [rank, span] : rehearsal.spans) {
    without += span.repetition == 1 ? 1e-9 * static_cast<double>(span.end_ns - span.begin_ns) : 0;
  }
  EXPECT_NEAR(measured.seconds / (without + 0.03), 1, 0.03);
  EXPECT_THROW(predict(model, 4, kLarge, options), Error) << "of other ranks nothing is known";
  messages.run.app = "sort";
  EXPECT_THROW(measured_messages(model, messages), UsageError);
}

TEST(RehearsedRun, HasALeafThatIsAsLongAsItsSizesSay) {
  const Model model = model_of_small_runs();
  Trace even = rehearsal_of_rank_0();
  Trace uneven = even;
  // The preparation: rank 5 has twice as much to solve as rank 0.
  for (const Trace::RankSpan& of : even.spans) {
    if (of.span.repetition == 0 && of.span.block == Block::sequential) {
      uneven.spans.push_back({5, of.span});
      uneven.spans.back().span.size_values[0] *= 2;
    }
  }
  const double leaf_s = seconds_of_block(predicted(model, {even}), Block::sequential);
  EXPECT_NEAR(seconds_of_block(predicted(model, {uneven}), Block::sequential), 2.1 * leaf_s,
              0.1 * leaf_s);
}

TEST(RehearsedRun, IsNoRunAndARunIsNone) {
  const Model model = model_of_small_runs();
  const auto refused = [](const auto& action, const std::string& why) {
    try {
      action();
      ADD_FAILURE() << why;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "sort-8.trace.jsonl " + why);
    }
  };
  const Trace rehearsal = rehearsal_of_rank_0();
  refused(
      [&] {
        collect_measurements({&rehearsal, 1});
      },
      "is of a rehearsal, which has no time of a whole run: give it to cleave predict "
      "--rehearsal");
  const auto refused_with = [&](const auto& change, const std::string& why) {
    Trace other = rehearsal;
    change(other);
    refused([&] { rehearsed_runs(model, {&other, 1}); }, why);
  };
  refused_with([](Trace& t) { t.run.rehearsed.clear(); },
               "is of a run: a rehearsal is made by the option --rehearse");
  refused_with([](Trace& t) { t.run.app = "search"; },
               "rehearses application search, the model is of sort");
  refused_with([](Trace& t) { t.run.threads = 2; }, "rehearses threads 2, the model is of 1");
  refused_with(
      [](Trace& t) {
        t.repetitions.front().sizes = {{"keys", 9}};
      },
      "rehearses keys=9, without the model's size N");
}

}  // namespace
}  // namespace cleave::models
