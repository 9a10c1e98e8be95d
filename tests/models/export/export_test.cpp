// SPDX-License-Identifier: Apache-2.0
// Exports of synthetic runs. Perfetto's events of real runs: tests/apps/cli_traces_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/export/exports.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

const NamedSizes kExportedSizes = {{"N", 32 << 20}};

TEST(Export, ATimelineHasAnEventForEachSpanOnRankZerosClock) {
  Trace trace = synthetic_trace({}, 2, kExportedSizes);
  trace.run.clock_offset_ns = {0, 1000};
  for (auto& [rank, span] : trace.spans) {
    span.begin_ns += rank * 1000;
    span.end_ns += rank * 1000;
  }
  const auto object = nlohmann::json::parse(to_trace_events(trace));
  const auto& events = object.at("traceEvents");
  constexpr std::size_t kNames = 4;  // of a rank and of its thread, twice
  EXPECT_EQ(events.size(), trace.spans.size() + kNames);
  double first_of_rank_1 = 1e9;
  for (const auto& event : events) {
    if (event.at("ph") == "X") {
      EXPECT_GE(event.at("ts"), 0.0);
      if (event.at("pid") == 1) {
        first_of_rank_1 = std::min(first_of_rank_1, event.at("ts").get<double>());
      }
    }
  }
  EXPECT_NEAR(first_of_rank_1, 0, 1e-6);
}

TEST(Export, CsvHasALineForEachSpan) {
  const std::vector<Trace> traces = {synthetic_trace({}, 2, kExportedSizes)};
  const std::string text = to_span_csv(traces);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(traces[0].spans) + 1);
  EXPECT_TRUE(
      text.starts_with("file,app,ranks,repetition,warm_up,rank,level,group,block,"
                       "begin_ns,end_ns,bytes,N\r\n"));
}

/// One rank, whose spans follow one another from `begin_ns` on.
Trace adjoining_spans(std::int64_t begin_ns, const std::vector<std::int64_t>& durations_ns) {
  Trace trace = synthetic_trace({}, 1, kExportedSizes);
  trace.spans.clear();
  for (const std::int64_t duration_ns : durations_ns) {
    Span span{.begin_ns = begin_ns, .end_ns = begin_ns + duration_ns};
    trace.spans.push_back({0, span});
    begin_ns = span.end_ns;
  }
  return trace;
}

TEST(Export, PerfettoReadsTheVeryNanoseconds) {
  std::vector<std::int64_t> durations_ns(5000, 1001);  // a thousandth of it times 1000 is less
  durations_ns.resize(10000, 1'000'000'007);
  const auto object = nlohmann::json::parse(to_trace_events(adjoining_spans(5, durations_ns)));
  // Perfetto's importer makes nanoseconds of a number in this way.
  const auto ns_of = [](const nlohmann::json& us) {
    return static_cast<std::int64_t>(us.get<double>() * 1000.0);
  };
  std::int64_t end_ns = 0;
  for (const auto& event : object.at("traceEvents")) {
    if (event.at("ph") == "X") {
      EXPECT_EQ(ns_of(event.at("ts")), end_ns);
      end_ns += ns_of(event.at("dur"));
    }
  }
  EXPECT_EQ(end_ns, 5000 * 1001LL + 5000 * 1'000'000'007LL);
}

}  // namespace
}  // namespace cleave::models
