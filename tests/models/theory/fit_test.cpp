// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit.hpp"

#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/host/host.hpp>

#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

Model fitted(const std::vector<Trace>& traces, const FitOptions& options = {}) {
  return fit_model(collect_measurements(traces), std::nullopt, options, Provenance{});
}

const Law& law_of(const Model& model, Block block) { return model.hypercube()->find(block)->law; }

double coefficient(const Model& model, Block block, int ranks_per_host, std::size_t i) {
  const Hypothesis& first = law_of(model, block).hypotheses.front();
  return first.factors.at(ranks_per_host) * first.coefficients[i];
}

std::string reason(const Model& model, Block block) {
  for (const RefusedBlock& refused : model.refused) {
    if (refused.block == block) {
      return refused.reason;
    }
  }
  return "not refused";
}

TEST(Fit, FindsTheFormsAndCoefficientsThatMadeTheTraces) {
  const Model model = fitted(synthetic_traces({}, {1, 2}, sort_sizes()));
  EXPECT_EQ(law_of(model, Block::sequential).text(), "N*log2(N)");
  EXPECT_NEAR(coefficient(model, Block::sequential, 1, 0), 4e-9, 1e-13);
  EXPECT_NEAR(coefficient(model, Block::sequential, 2, 0), 4e-9, 1e-13);
  EXPECT_EQ(law_of(model, Block::divide).text(), "1,N");
  EXPECT_NEAR(coefficient(model, Block::divide, 2, 0), 1e-4, 1e-8);
  EXPECT_NEAR(coefficient(model, Block::divide, 2, 1), 2e-9, 1e-13);
  EXPECT_TRUE(model.refused.empty());
}

TEST(Fit, ComponentsHaveThePapersForms) {
  const Model model = fitted(synthetic_traces(synthetic_components(), {1, 2}, graph_sizes()),
                             {.forms = Forms::paper});
  EXPECT_EQ(law_of(model, Block::divide).text(), "1,M");
  EXPECT_EQ(law_of(model, Block::combine).text(), "1,N");
  EXPECT_EQ(law_of(model, Block::sequential).text(), "1,N,M");
  EXPECT_NEAR(coefficient(model, Block::sequential, 1, 1), 1.35e-8, 1e-11);
  EXPECT_NEAR(coefficient(model, Block::sequential, 1, 2), 4.6e-8, 1e-11);
}

TEST(Fit, ChoosesThePapersFormsForComponentsByItself) {
  SyntheticApp app = synthetic_components();
  app.noise = 0.01;
  const Model model = fitted(synthetic_traces(app, {1, 2}, graph_sizes()));
  const Prediction prediction = predict(model, 2, {{"N", 1 << 20}, {"M", 4 << 20}});
  const double expected = 1e-5 + 2.25e-9 * (4 << 20) + 2e-5 + 2.3e-8 * (1 << 20) + 1e-5 +
                          1.35e-8 * (1 << 20) + 4.6e-8 * (2 << 20) +
                          2 * (2e-6 + 4.0 * (1 << 20) * 5e-11);
  EXPECT_NEAR(prediction.seconds, expected, 0.02 * expected);
}

TEST(Fit, RefusesThePapersDesignWithTwiceAsManyEdgesAsNodes) {
  std::vector<NamedSizes> sizes;
  for (std::int64_t n = 128 << 10; n <= 4096 << 10; n *= 2) {
    sizes.push_back({{"N", n}, {"M", 2 * n}});
  }
  for (const Forms forms : {Forms::paper, Forms::automatic}) {
    const Model model =
        fitted(synthetic_traces(synthetic_components(), {1}, sizes), {.forms = forms});
    const std::string said = reason(model, Block::sequential);
    EXPECT_NE(said.find(" are dependent: measure more sizes that vary"), std::string::npos) << said;
    EXPECT_THROW(predict(model, 1, {{"N", 1000}, {"M", 5000}}), Error);
  }
  const Model one = fitted(synthetic_traces({}, {1}, {{{"N", 1 << 20}}}));
  EXPECT_EQ(reason(one, Block::sequential), "N is 1M in every run: measure more sizes");
}

TEST(Fit, ARunOfOneElementSpoilsNothing) {
  std::vector<Trace> traces = synthetic_traces({}, {1, 2}, sort_sizes());
  SyntheticApp of_one_element;
  of_one_element.sequential = [](const NamedSizes&) { return 1e-7; };
  Trace one = synthetic_trace(of_one_element, 2, {{"N", 1}});
  std::erase_if(one.spans, [](const Trace::RankSpan& entry) {
    return entry.span.block == Block::sequential || entry.span.block == Block::combine;
  });
  const Model of_one = fitted({one});
  EXPECT_THROW(predict(of_one, 2, {{"N", 1}}), Error);
  traces.push_back(one);
  const double expected =
      static_cast<double>(synthetic_trace({}, 2, {{"N", 4 << 20}}).repetitions.back().elapsed_ns) *
      1e-9;
  EXPECT_NEAR(predict(fitted(traces), 2, {{"N", 4 << 20}}).seconds, expected, 0.03 * expected);
}

TEST(Fit, SizesAreGivenWhereTheOptionSaysThoseOfTheProblem) {
  std::vector<Trace> traces = synthetic_traces({}, {1}, sort_sizes());
  EXPECT_TRUE(collect_measurements(traces).given_sizes.empty());
  for (Trace& trace : traces) {
    trace.run.options["size"] = "N=" + std::to_string(trace.repetitions.front().sizes.at("N"));
  }
  EXPECT_EQ(collect_measurements(traces).given_sizes, std::set<std::string>{"N"});
  for (const char* other : {"N=7", "3 by 3", ""}) {
    traces.back().run.options["size"] = other;
    EXPECT_TRUE(collect_measurements(traces).given_sizes.empty()) << other;
  }
}

TEST(Fit, TracesOfAnotherApplicationAreRefused) {
  std::vector<Trace> traces = synthetic_traces({}, {2}, sort_sizes());
  traces.push_back(synthetic_trace(synthetic_components(), 2, graph_sizes().front()));
  EXPECT_THROW(collect_measurements(traces), UsageError);
  EXPECT_THROW(collect_measurements({}), UsageError);
}

TEST(Fit, RunsOfSeveralHostsOrProgramsAreNamed) {
  std::vector<Trace> traces = synthetic_traces({}, {1, 2}, sort_sizes());
  for (Trace& trace : traces) {
    trace.run.files = {{"input", std::to_string(trace.run.ranks)}, {"program", "1"}};
    trace.run.provenance.host = std::to_string(trace.run.ranks);
  }
  EXPECT_TRUE(collect_measurements(traces).notes.empty()) << "a node or an input each";
  traces.front().run.files["program"] = "2";
  traces.back().run.provenance.processor = "another";
  EXPECT_EQ(
      collect_measurements(traces).notes,
      (std::vector<std::string>{"runs of more than one processor are fitted as one: ; another",
                                "runs of more than one program are fitted as one: 1; 2"}));
}

TEST(Fit, OversubscribedRunsAreLeftOutAndSaid) {
  std::vector<Trace> traces = synthetic_traces({}, {1, 2, 4}, sort_sizes());
  for (Trace& trace : traces) {
    trace.run.oversubscribed = trace.run.ranks == 4;
  }
  const Measurements measurements = without_oversubscribed(collect_measurements(traces));
  EXPECT_EQ(measurements.points.size(), 12U);
  ASSERT_EQ(measurements.notes.size(), 1U);
  EXPECT_EQ(measurements.notes.front(), "6 runs left out: more ranks than cores");
  for (Trace& trace : traces) {
    trace.run.oversubscribed = true;
  }
  EXPECT_THROW(without_oversubscribed(collect_measurements(traces)), Error);
}

TEST(Fit, PredictsLargerSizesAndMoreRanksThanMeasured) {
  SyntheticApp app;
  app.noise = 0.005;
  std::vector<NamedSizes> sizes = sort_sizes();
  sizes.resize(4);
  const Model model = fitted(synthetic_traces(app, {1, 2}, sizes));
  for (const int ranks : {1, 2, 4, 8}) {
    const NamedSizes asked = {{"N", 32 << 20}};
    const Trace truth = synthetic_trace({}, ranks, asked);
    const double expected = static_cast<double>(truth.repetitions.back().elapsed_ns) * 1e-9;
    const Prediction prediction = predict(model, ranks, asked, {.ranks_per_host = ranks});
    EXPECT_NEAR(prediction.seconds, expected, 0.03 * expected) << ranks;
    EXPECT_LT(prediction.low, prediction.seconds);
    EXPECT_GT(prediction.high, prediction.seconds);
  }
  EXPECT_EQ(predict(model, 2, {{"N", 8 << 20}}).reach, 0);
}

}  // namespace
}  // namespace cleave::models
