// SPDX-License-Identifier: Apache-2.0
// Exports of synthetic runs. What real runs give is checked by check_timelines.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "models/export/exports.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

const NamedSizes kExportedSizes = {{"N", 32 << 20}};

TEST(Export, ExtraPHasALineForEachRepetitionAndBlock) {
  const std::vector<Trace> traces = {synthetic_trace({}, 2, kExportedSizes)};
  std::istringstream lines(to_extra_p(traces));
  int count = 0;
  double sequential = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object.at("params").at("p"), 2);
    EXPECT_EQ(object.at("params").at("N"), 32 << 20);
    EXPECT_EQ(object.at("metric"), "time");
    if (object.at("callpath") == "DC_Call->sequential") {
      sequential = object.at("value");
    }
  }
  EXPECT_EQ(count, 3 * 5);  // repetitions without the warm-up; the whole call and four blocks
  EXPECT_NEAR(sequential, 4e-9 * (16 << 20) * 24, 1e-9);
}

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
  // As Perfetto's importer makes nanoseconds of a number.
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

std::string refusal_of_otf2(const Trace& trace, const std::filesystem::path& folder) {
  try {
    write_otf2(trace, folder);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

#ifdef CLEAVE_HAS_OTF2

TEST(Otf2, ReplacesAnArchiveAndNothingElse) {
  const testing::TemporaryFolder folder;
  const Trace trace = adjoining_spans(0, {1, 2, 3});
  EXPECT_EQ(refusal_of_otf2(trace, folder / "archive"), "");
  EXPECT_EQ(refusal_of_otf2(trace, folder / "archive"), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "archive/traces.otf2"));

  write_file(folder / "note", "mine");
  for (const std::filesystem::path& taken : {folder / "note", folder.path()}) {
    EXPECT_EQ(refusal_of_otf2(trace, taken),
              taken.string() + ": is there and no OTF2 archive: name another folder, or remove it");
  }
  EXPECT_EQ(read_file(folder / "note"), "mine");
  EXPECT_NE(refusal_of_otf2(trace, folder / "none/archive"), "");
  // What is not written leaves nothing behind.
  const auto begin = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 2);
}

TEST(Otf2, RefusesSpansThatOverlap) {
  const testing::TemporaryFolder folder;
  Trace trace = adjoining_spans(0, {10, 10});
  trace.spans[1].span.begin_ns = 5;
  EXPECT_NE(
      refusal_of_otf2(trace, folder / "archive").find("overlaps another, which OTF2 cannot hold"),
      std::string::npos);
  trace.spans[1].span.end_ns = 8;  // one in another is no overlap
  EXPECT_EQ(refusal_of_otf2(trace, folder / "archive"), "");
  trace.spans[1].span.repetition = 1;
  EXPECT_NE(refusal_of_otf2(trace, folder / "archive"), "");
  trace.spans.clear();
  EXPECT_NE(refusal_of_otf2(trace, folder / "archive").find("has no spans"), std::string::npos);
}

#else

TEST(Otf2, ABuildWithoutItNamesThePackage) {
  EXPECT_EQ(refusal_of_otf2(adjoining_spans(0, {1}), "archive"),
            "--format: otf2 is not in this build: install libopen-trace-format2-dev and configure "
            "Cleave again");
}

#endif

}  // namespace
}  // namespace cleave::models
