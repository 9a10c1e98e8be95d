// SPDX-License-Identifier: Apache-2.0
// The model of work stealing, fitted to traces of searches that never ran.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>

#include "models/report/report.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/search_time.hpp"
#include "tests/models/theory/synthetic_searches.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

const std::vector<std::int64_t> kSizes = {1 << 18, 1 << 20, 1 << 22, 1 << 24};

Model fit(const std::vector<Trace>& traces, const std::optional<Machine>& machine = std::nullopt) {
  return fit_model(collect_measurements(traces), machine, {},
                   provenance_here("test", "test", "none"));
}

double predicted(const Model& model, int ranks, int threads, std::int64_t nodes) {
  return predict(model, ranks, {{"nodes", nodes}}, {.ranks_per_host = ranks, .threads = threads})
      .seconds;
}

/// Of a fit of one kind.
double coefficient(const Law& law, int i, int workers_per_host = kOneRankPerHost) {
  const Hypothesis& first = law.hypotheses.front();
  return first.factors.at(workers_per_host) * first.coefficients[i];
}

Machine machine_with(double latency_s) {
  const Communication entry{.ranks = 2, .latency_s = latency_s, .gap_s_per_byte = 0};
  return {.name = "test", .exchange = {entry}, .provenance = provenance_here("test", "", "none")};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(SearchRuns, PartsAddUpToTheRun) {
  const Truth truth{.noise = 0.02};
  const std::vector<Trace> traces = search_traces(truth, {{4, 2}}, kSizes);
  const SearchRuns found = collect_search_runs(traces, QuietRepetitions(traces));
  ASSERT_EQ(found.runs.size(), kSizes.size());
  for (const SearchRun& run : found.runs) {
    ASSERT_EQ(run.seconds.size(), 2U) << "the faster half";
    for (std::size_t i = 0; i < run.seconds.size(); ++i) {
      EXPECT_NEAR(run.search[i] + run.steal[i] + run.start_up[i] + run.termination[i],
                  run.seconds[i], 1e-8);
      EXPECT_NEAR(run.start_up[i], truth.starting_s(4, 2), 1e-8);
      EXPECT_NEAR(run.termination[i], truth.termination_s(4), 1e-8);
    }
  }
}

TEST(Search, FindsTheCoefficientsThatRunsWereMadeFrom) {
  const Truth truth;
  const Model model =
      fit(search_traces(truth, {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {4, 1}, {8, 1}}, kSizes));
  EXPECT_TRUE(model.refused.empty());
  ASSERT_NE(model.search(), nullptr);
  const SearchModel& search = *model.search();
  EXPECT_EQ(search.search->text(), "nodes");
  for (const auto& [workers, factor] : search.search->hypotheses.front().factors) {
    EXPECT_NEAR(coefficient(*search.search, 0, workers), truth.node_s, 0.01 * truth.node_s)
        << workers << " times " << factor;
  }
  const Steals& inside = search.inside.value();
  EXPECT_EQ(inside.count.text(), "doublings*log2(nodes)");
  EXPECT_NEAR(coefficient(inside.count, 0), truth.steals_inside, 0.03 * truth.steals_inside);
  EXPECT_EQ(inside.seconds.text(), "doublings*log2(nodes)");
  EXPECT_NEAR(coefficient(inside.seconds, 0), truth.steals_inside * truth.inside_s,
              0.03 * truth.steals_inside * truth.inside_s);
  const Steals& between = search.between.value();
  EXPECT_EQ(between.count.text(), "doublings*log2(nodes)");
  EXPECT_NEAR(coefficient(between.count, 0), truth.steals_between, 0.03 * truth.steals_between);
  ASSERT_EQ(between.seconds.text(), "doublings,doublings*log2(nodes)");
  EXPECT_NEAR(coefficient(between.seconds, 0), truth.in_vain * truth.in_vain_s,
              0.1 * truth.in_vain * truth.in_vain_s);
  EXPECT_NEAR(coefficient(between.seconds, 1), truth.steals_between * truth.between_s,
              0.03 * truth.steals_between * truth.between_s);
  ASSERT_TRUE(between.in_vain);
  EXPECT_EQ(between.in_vain->text(), "doublings");
  EXPECT_NEAR(coefficient(*between.in_vain, 0), truth.in_vain, 0.01 * truth.in_vain);
  EXPECT_FALSE(inside.in_vain);
  const Law& start_up = search.start_up.value();
  ASSERT_EQ(start_up.text(), "1,doublings,helpers");
  EXPECT_NEAR(coefficient(start_up, 0), truth.start_up_s, 0.01 * truth.start_up_s);
  EXPECT_NEAR(coefficient(start_up, 1), truth.start_up_of_doubling_s,
              0.01 * truth.start_up_of_doubling_s);
  EXPECT_NEAR(coefficient(start_up, 2), truth.start_up_of_helper_s,
              0.01 * truth.start_up_of_helper_s);
  EXPECT_NEAR(coefficient(search.termination.value(), 1), truth.ending_of_doubling_s,
              0.01 * truth.ending_of_doubling_s);
}

TEST(Search, FewStealsByChanceDoNotPullTheMeanDown) {
  const Truth truth{.uneven = 0.9};
  std::vector<std::int64_t> sizes;
  for (std::int64_t nodes = 1 << 18; nodes < 1 << 24; nodes += nodes / 5) {
    sizes.push_back(nodes);
  }
  const Model model = fit(search_traces(truth, {{2, 1}, {4, 1}, {8, 1}}, sizes));
  const Steals& between = model.search()->between.value();
  constexpr double kNodes = 1 << 20;
  const NamedValues asked = {{"doublings", 4}, {"nodes", kNodes}};
  const double steals = truth.steals(16, 1, 16 * kNodes);
  EXPECT_NEAR(between.count.at(asked).median, steals, 0.2 * steals);
  EXPECT_NEAR(between.in_vain->at(asked).median, truth.requests_in_vain(16),
              0.2 * truth.requests_in_vain(16));
  const double seconds = truth.steal_s(16, 1, 16 * kNodes);
  EXPECT_NEAR(between.seconds.at(asked).median, seconds, 0.2 * seconds);
}

TEST(Search, FindsWhatAnsweringTakesWhereItShows) {
  const Truth truth{.answer_s = 2e-5};
  const std::vector<std::int64_t> sizes = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
  const Model model = fit(search_traces(truth, {{1, 1}, {2, 1}, {4, 1}, {8, 1}}, sizes));
  const Law& search = model.search()->search.value();
  ASSERT_EQ(search.text(), "nodes,requests");
  EXPECT_NEAR(coefficient(search, 1, 8), truth.answer_s, 0.05 * truth.answer_s);
}

TEST(Search, PredictsMoreRanksAndLargerTreesThanItHasSeen) {
  const Truth truth{.noise = 0.02};
  const Model model = fit(search_traces(truth, {{1, 1}, {2, 1}, {4, 1}, {8, 1}}, kSizes));
  for (const int ranks : {2, 8, 32, 64}) {
    const std::int64_t nodes = 1 << 26;
    const Prediction f = predict(model, ranks, {{"nodes", nodes}}, {.ranks_per_host = ranks});
    const double expected = truth.seconds(ranks, 1, static_cast<double>(nodes));
    EXPECT_NEAR(f.seconds, expected, 0.03 * expected) << ranks;
    EXPECT_LT(f.low, expected);
    EXPECT_GT(f.high, expected);
    EXPECT_TRUE(f.outside_fitted_range);
    double sum = 0;
    for (const BlockShare& share : f.shares) {
      sum += share.seconds;
    }
    EXPECT_NEAR(sum, f.seconds, 1e-9 * f.seconds);
    EXPECT_EQ(f.shares.size(), 4U);
  }
}

TEST(Search, OnOtherHostsNeedsTheirNetwork) {
  const std::vector<Trace> traces = search_traces({}, {{1, 1}, {2, 1}, {4, 1}}, kSizes);
  const Model model = fit(traces, machine_with(1e-7));
  const auto on_64 = [&](const Network& network) {
    return predict(model, 64, {{"nodes", 1 << 24}}, {.ranks_per_host = 4, .network = network});
  };
  EXPECT_NE(message_of([&] { on_64(model.network); }).find("cleave-calibrate"), std::string::npos);
  const Prediction assumed = on_64(with_assumed(model.network, "ethernet-10g"));
  EXPECT_EQ(assumed.assumed_network, "ethernet-10g");
  EXPECT_GT(assumed.seconds,
            predict(model, 64, {{"nodes", 1 << 24}}, {.ranks_per_host = 64}).seconds);
}

TEST(Search, OneAndTwoWorkersTellOfRanksWithThreads) {
  const Truth truth;
  const Model model = fit(search_traces(truth, {{1, 1}, {1, 2}, {2, 1}}, kSizes));
  const double expected = truth.seconds(2, 2, 1 << 23);
  EXPECT_NEAR(predicted(model, 2, 2, 1 << 23), expected, 0.02 * expected);
}

TEST(Search, AnotherMachineChangesWhatTheNetworkTakes) {
  const Truth truth;
  const std::vector<Trace> traces = search_traces(truth, {{1, 1}, {2, 1}, {4, 1}}, kSizes);
  Model model = fit(traces, machine_with(1e-7));
  const double here = predicted(model, 4, 1, 1 << 22);
  EXPECT_NEAR(here, truth.seconds(4, 1, 1 << 22), 0.02 * here);
  // A request and an answer for each steal, and in vain; two rounds of start-up, whose requests
  // wait already; and eight messages a round to the end. A message takes 2 l.
  model.network = network_of(machine_with(1e-5));
  const double message_s = 2 * (1e-5 - 1e-7);
  const double requests = truth.steals(4, 1, 1 << 22) + truth.requests_in_vain(4);
  const double of_steals = requests * 2 * message_s;
  const double expected = here + of_steals + 2 * message_s + 2 * 8 * message_s;
  EXPECT_NEAR(predicted(model, 4, 1, 1 << 22), expected, 0.001 * expected);

  Model without = fit(traces);
  without.network = network_of(machine_with(1e-5));
  EXPECT_NE(message_of([&] { predicted(without, 4, 1, 1 << 22); }).find("fit it with --machine"),
            std::string::npos);
  EXPECT_GT(predicted(without, 1, 1, 1 << 22), 0) << "one rank sends nothing";
}

TEST(Search, SaysWhatTheTracesCannotTell) {
  const Truth truth;
  const Model alone = fit(search_traces(truth, {{1, 1}}, kSizes));
  EXPECT_GT(predicted(alone, 1, 1, 1 << 22), 0);
  EXPECT_EQ(message_of([&] { predicted(alone, 2, 1, 1 << 22); }),
            "steals cannot be predicted between ranks: the traces show none");
  const Model together = fit(search_traces(truth, {{1, 1}, {2, 2}}, kSizes));
  EXPECT_EQ(message_of([&] { predicted(together, 2, 1, 1 << 22); }),
            "steals cannot be predicted between ranks: no run was on several ranks with one "
            "thread each");
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
  EXPECT_EQ(message_of([&] {
              predict(alone, 1, {{"N", 5}});
            }),
            "size N is not one of this model's: nodes");
}

TEST(Search, AFileKeepsTheModel) {
  const ::cleave::testing::TemporaryFolder folder;
  const Truth truth{.noise = 0.02};
  const Model model =
      fit(search_traces(truth, {{1, 1}, {1, 2}, {2, 1}, {4, 1}}, kSizes), machine_with(1e-7));
  write_model(folder / "x.model.json", model);
  const Model read = read_model(folder / "x.model.json");
  for (const auto& [ranks, threads] : {std::pair(1, 1), std::pair(2, 2), std::pair(16, 1)}) {
    const PredictOptions options{.ranks_per_host = ranks, .threads = threads};
    const Prediction a = predict(model, ranks, {{"nodes", 1 << 25}}, options);
    const Prediction b = predict(read, ranks, {{"nodes", 1 << 25}}, options);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.high, b.high);
  }
}

TEST(SearchReport, HasATableOfTheWorkers) {
  const Truth truth;
  const std::vector<Trace> traces = search_traces(truth, {{1, 1}, {1, 2}, {2, 1}, {2, 2}}, kSizes);
  const Measurements measurements = collect_measurements(traces);
  const Report report = make_report(fit(traces), measurements, std::nullopt);
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
  EXPECT_EQ(last[5].exact, "40") << "4 workers tried 10 each";
  EXPECT_EQ(last[6].exact, "0.5");
  EXPECT_EQ(last[7].exact, "144") << "2 ranks asked 72 times each, twice in vain";
  EXPECT_NEAR(std::stod(last[8].exact), 70.0 / 72, 1e-12);
  EXPECT_EQ(last[9].exact, "0.25");
  EXPECT_EQ(last[11].exact, "0.25");
  ASSERT_EQ(report.worker_shares.size(), 3U) << "one worker shares nothing";
  EXPECT_EQ(report.worker_shares.back().of_even, std::vector<double>(4, 1));
}

}  // namespace
}  // namespace cleave::models