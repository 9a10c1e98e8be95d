// SPDX-License-Identifier: Apache-2.0
// The model of work stealing, fitted to traces of searches that never ran.
#include <gtest/gtest.h>

#include <algorithm>

#include <cleave/host/host.hpp>

#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/theory/synthetic_searches.hpp"
#include "tests/support/message_of.hpp"

namespace cleave::models {

using namespace cleave::detail;
using testing::message_of;
namespace {

const std::vector<std::int64_t> kSizes = {1 << 18, 1 << 20, 1 << 22, 1 << 24};

Model fit(const std::vector<Trace>& traces) {
  return fit_model(collect_measurements(traces), std::nullopt, {},
                   provenance_here("test", "test", "none"));
}

double predicted(const Model& model, int ranks, int threads, std::int64_t nodes) {
  return predict(model, ranks, {{"nodes", nodes}}, {.ranks_per_host = ranks, .threads = threads})
      .seconds;
}

/// A trace as --rehearse writes it, where a node takes `slower` times as long as in a run.
std::vector<Trace> rehearsals(Truth truth, const std::vector<std::pair<int, int>>& workers,
                              double slower) {
  truth.node_s *= slower;
  std::vector<Trace> traces = search_traces(truth, workers, kSizes);
  for (Trace& trace : traces) {
    for (int rank = 0; rank < trace.run.ranks; ++rank) {
      trace.run.rehearsed.push_back(rank);
    }
    trace.run.ranks_per_host = 4;
  }
  return traces;
}

/// Runs of one problem a size, whose bounds leave a few nodes more each time.
std::vector<Trace> pruning_traces(std::vector<Trace> traces) {
  std::int64_t more = 0;
  for (Trace& trace : traces) {
    trace.run.options["size"] = "N=22";
    trace.run.seed = 5;
    for (Trace::Run& repetition : trace.repetitions) {
      repetition.sizes.at("nodes") += 2 * more++;
    }
  }
  return traces;
}

TEST(SearchRuns, OfOneProblemAreOneHoweverManyNodesTheyVisit) {
  const std::vector<Trace> traces =
      pruning_traces(search_traces({}, {{2, 1}, {4, 1}}, {kSizes.front()}));
  const Measurements measurements = collect_measurements(traces);
  ASSERT_EQ(measurements.points.size(), 2U);
  ASSERT_EQ(measurements.searches.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::int64_t> nodes;
    for (const Trace::Run& repetition : traces[i].repetitions) {
      if (!repetition.warm_up) {
        nodes.push_back(repetition.sizes.at("nodes"));
      }
    }
    EXPECT_EQ(measurements.points[i].sizes.at("nodes"), nodes[(nodes.size() - 1) / 2]);
    EXPECT_EQ(measurements.points[i].sizes, measurements.searches[i].sizes);
    EXPECT_EQ(measurements.points[i].wall_seconds.size(), nodes.size());
  }
  std::vector<Trace> of_another_seed = traces;
  of_another_seed.back().run.seed = 6;
  of_another_seed.back().run.ranks = of_another_seed.front().run.ranks;
  EXPECT_EQ(collect_measurements(of_another_seed).points.size(), 2U);
}

TEST(Search, FindsTheTimeOfANodeAndTheEfficiency) {
  const Truth truth;
  const Model model =
      fit(search_traces(truth, {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {4, 1}, {8, 1}}, kSizes));
  EXPECT_TRUE(model.refused.empty());
  ASSERT_NE(model.search(), nullptr);
  const SearchModel& search = *model.search();
  EXPECT_EQ(search.visits->text(), "nodes");
  const Hypothesis& first = search.visits->hypotheses.front();
  for (const auto& [workers, factor] : first.factors) {
    EXPECT_NEAR(factor * first.coefficients[0], truth.node_s, 0.01 * truth.node_s) << workers;
  }
  for (const auto& [ranks, threads] : {std::pair(1, 1), std::pair(1, 4), std::pair(8, 1)}) {
    for (const double nodes : {1 << 19, 1 << 23}) {
      const double efficiency =
          truth.search_s(ranks, threads, nodes) / truth.seconds(ranks, threads, nodes);
      EXPECT_NEAR(1 / search.inverse_efficiency->median(sizes_of_search(nodes, ranks, threads)),
                  efficiency, 0.03 * efficiency)
          << ranks << " " << threads << " " << nodes;
    }
  }
}

TEST(Search, PredictsMoreRanksAndLargerTreesThanItHasSeen) {
  const Truth truth{.noise = 0.02};
  const Model model = fit(search_traces(truth, {{1, 1}, {2, 1}, {4, 1}, {8, 1}}, kSizes));
  for (const int ranks : {2, 8, 32, 64}) {
    const std::int64_t nodes = 1 << 26;
    const Prediction f = predict(model, ranks, {{"nodes", nodes}}, {.ranks_per_host = ranks});
    const double expected = truth.seconds(ranks, 1, static_cast<double>(nodes));
    EXPECT_NEAR(f.seconds, expected, 0.05 * expected) << ranks;
    EXPECT_LT(f.low, expected);
    EXPECT_GT(f.high, expected);
    ASSERT_EQ(f.shares.size(), 2U);
    EXPECT_NEAR(f.shares[0].seconds + f.shares[1].seconds, f.seconds, 1e-9 * f.seconds);
  }
}

TEST(Search, LearnsTheEfficiencyOfManyRanksFromRehearsals) {
  const Truth truth;
  std::vector<Trace> traces = search_traces(truth, {{1, 1}, {2, 1}}, kSizes);
  for (Trace& trace : rehearsals(truth, {{8, 1}, {16, 1}, {64, 1}}, 1)) {
    traces.push_back(std::move(trace));
  }
  const Model model = fit(traces);
  EXPECT_EQ(model.max_ranks(), 64);
  EXPECT_FALSE(model.noise.contains(64));
  const double expected = truth.seconds(64, 1, 1 << 23);
  const Prediction f = predict(model, 64, {{"nodes", 1 << 23}}, {.ranks_per_host = 4});
  EXPECT_NEAR(f.seconds, expected, 0.03 * expected);
  EXPECT_EQ(f.reach, 1);
}

TEST(Search, TakesTheTimeOfANodeFromRunsWhereThereAreSome) {
  const Truth truth;
  std::vector<Trace> traces = search_traces(truth, {{1, 1}, {2, 1}}, kSizes);
  for (Trace& trace : rehearsals(truth, {{8, 1}}, 1.5)) {
    traces.push_back(std::move(trace));
  }
  const Hypothesis first = fit(traces).search()->visits->hypotheses.front();
  EXPECT_NEAR(first.coefficients[0], truth.node_s, 0.01 * truth.node_s);
  const Model of_rehearsals = fit(rehearsals(truth, {{1, 1}, {8, 1}}, 1.5));
  EXPECT_NEAR(of_rehearsals.search()->visits->hypotheses.front().coefficients[0],
              1.5 * truth.node_s, 0.02 * truth.node_s);
}

/// Runs on one host, and a rehearsal of 64 ranks at each size, by `network`.
std::vector<Trace> with_rehearsals(const Truth& truth, const std::string& network = "") {
  std::vector<Trace> traces = search_traces(truth, {{1, 1}, {2, 1}, {4, 1}}, kSizes);
  for (Trace& trace : rehearsals(truth, {{64, 1}}, 1)) {
    if (!network.empty()) {
      trace.run.options["network"] = network;
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

TEST(Search, OnOtherHostsNeedsARehearsal) {
  const Truth truth;
  const NamedSizes sizes = {{"nodes", kSizes.back()}};
  const PredictOptions options{.ranks_per_host = 4};
  const Model of_runs = fit(search_traces(truth, {{1, 1}, {2, 1}, {4, 1}}, kSizes));
  EXPECT_NE(message_of([&] {
              predict(of_runs, 64, sizes, options);
            }).find("--rehearse 64 --network FILE --ranks-per-host 4"),
            std::string::npos);
  const Prediction f = predict(fit(with_rehearsals(truth)), 64, sizes, options);
  EXPECT_EQ(f.reach, 0);
  const double expected = truth.seconds(64, 1, static_cast<double>(kSizes.back()));
  EXPECT_NEAR(f.seconds, expected, 0.02 * expected);
}

TEST(Search, IsWideAndNamedWhereItWasRehearsedOnAnAssumedNetwork) {
  const Truth truth;
  const NamedSizes sizes = {{"nodes", kSizes.back()}};
  const Prediction measured =
      predict(fit(with_rehearsals(truth)), 64, sizes, {.ranks_per_host = 4});
  const Prediction assumed =
      predict(fit(with_rehearsals(truth, "ethernet-10g")), 64, sizes, {.ranks_per_host = 4});
  EXPECT_EQ(measured.assumed_network, "");
  EXPECT_EQ(assumed.assumed_network, "ethernet-10g");
  EXPECT_GE(assumed.high / assumed.low, measured.high / measured.low);
}

TEST(Search, SaysWhatTheTracesCannotTell) {
  const Truth truth;
  const Model alone = fit(search_traces(truth, {{1, 1}}, kSizes));
  EXPECT_GT(predicted(alone, 1, 1, 1 << 22), 0);
  EXPECT_EQ(message_of([&] { predicted(alone, 2, 1, 1 << 22); }),
            "steals between ranks cannot be predicted: every fitted run was on one rank");
  EXPECT_EQ(message_of([&] { predicted(alone, 1, 2, 1 << 22); }),
            "steals inside a rank cannot be predicted: every fitted run had one thread a rank");
  const Model one_size = fit(search_traces(truth, {{1, 1}, {2, 1}}, {1 << 20}));
  EXPECT_EQ(message_of([&] { predicted(one_size, 1, 1, 1 << 22); }),
            "sequential cannot be predicted: nodes are as many in every run: measure more sizes");

  std::vector<Trace> old = search_traces(truth, {{1, 1}}, kSizes);
  for (Trace& trace : old) {
    trace.workers.clear();
  }
  const Model of_old = fit(old);
  EXPECT_EQ(of_old.notes.size(), kSizes.size());
  EXPECT_EQ(message_of([&] { predicted(of_old, 1, 1, 1 << 22); }),
            "sequential cannot be predicted: no trace says what its workers did");
}

TEST(Search, IsAskedByWhatARunWasGiven) {
  const Truth truth;
  std::vector<Trace> traces = search_traces(truth, {{1, 1}, {2, 1}}, kSizes);
  std::vector<Trace> rehearsed = rehearsals(truth, {{64, 1}}, 1);
  rehearsed.front().run.options["size"] = "N=31";
  traces.push_back(rehearsed.front());
  const Model model = fit(traces);
  const Prediction p = predict(model, 64, {{"N", 31}}, {.ranks_per_host = 4});
  EXPECT_EQ(p.reach, 0);
  EXPECT_EQ(p.sizes, (NamedSizes{{"nodes", kSizes.front()}}));
  EXPECT_EQ(predict(model, 2, {{"N", 31}}).sizes, p.sizes) << "of the nearest ranks";
  EXPECT_EQ(message_of([&] {
              predict(model, 2, {{"N", 30}});
            }),
            "size N is not one of this model's: nodes; a rehearsal of N=30 would answer "
            "(--rehearse)");
}

TEST(SearchReport, HasATableOfTheWorkers) {
  const Truth truth;
  const std::vector<Trace> traces = search_traces(truth, {{1, 1}, {1, 2}, {2, 1}, {2, 2}}, kSizes);
  const Measurements measurements = collect_measurements(traces);
  const Report report = make_report(fit(traces), measurements);
  EXPECT_EQ(report.comparisons.size(), traces.size());
  const auto found = std::find_if(report.tables.begin(), report.tables.end(),
                                  [](const Table& table) { return table.id == "workers"; });
  ASSERT_NE(found, report.tables.end());
  ASSERT_EQ(found->rows.size(), traces.size());
  const std::vector<Cell>& last = found->rows.back();  // 2 ranks of 2 threads
  ASSERT_EQ(last.size(), found->columns.size());
  EXPECT_EQ(last[0].exact, "2");
  EXPECT_EQ(last[1].exact, "2");
  EXPECT_EQ(last[2].exact, std::to_string(kSizes.back()));
  EXPECT_EQ(last[4].shown, "20 of 40") << "4 workers tried 10 each";
  EXPECT_EQ(last[5].shown, "140 of 144") << "2 ranks asked 72 times each, twice in vain";
  EXPECT_EQ(last[6].exact, "1") << "even shares";
}

}  // namespace
}  // namespace cleave::models
