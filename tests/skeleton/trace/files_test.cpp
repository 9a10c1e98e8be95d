// SPDX-License-Identifier: Apache-2.0
// Trace and machine files: what is written is read back, and whatever is damaged gets one clear
// line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using ::cleave::testing::damaged;
using ::cleave::testing::message_of;
using ::cleave::testing::TemporaryFolder;

void write_example_trace(const std::filesystem::path& path) {
  Recorder recorder(monotonic_ns, 5);
  for (int repetition = 0; repetition < 2; ++repetition) {
    recorder.begin_repetition(repetition, repetition == 0);
    recorder.add_run_sizes({{"N", 1000}, {"edges_2", 3}});
    recorder.record(Block::divide, 0, 2, -5, 10, 0, {{"N", 1000}});
    recorder.record(Block::sequential, 1, 1, 10, 110, 0, {{"N", 500}, {"nodes", 7}});
    recorder.record(Block::exchange, 0, 2, 110, 120, 4096, {});
    recorder.add_worker({.rank = 9, .thread = 0, .nodes = 7, .searches = 2, .ending_ns = 11});
    recorder.end_repetition(130);
  }
  RunInformation run{.app = "example",
                     .type = "hypercube",
                     .placement = "replicated",
                     .ranks = 2,
                     .ranks_per_host = 2,
                     .seed = UINT64_MAX,
                     .repetitions = 1,
                     .warm_up = 1,
                     .options = {{"graph", "gnm"}},
                     .clock_offset_ns = {0, -12},
                     .provenance = provenance_here("files_test", "files_test --x", "steady")};
  TraceWriter writer(path, run);
  for (const Repetition& repetition : recorder.repetitions()) {
    writer.add(repetition);
  }
  for (int rank = 0; rank < 2; ++rank) {
    writer.add_lines(span_lines(recorder, rank, 0, 3));
    writer.add_lines(span_lines(recorder, rank, 3, 100));
    writer.add_lines(dropped_line(recorder, rank));
    writer.add_lines(worker_lines(recorder, rank));
  }
  writer.commit();
}

Machine example_machine() {
  return {.name = "here",
          .alltoallv = {{.ranks = 2,
                         .latency_s = 1e-6,
                         .latency_error_s = 1e-8,
                         .gap_s_per_byte = 7e-11,
                         .r_squared = 0.99,
                         .segments = {{.from_bytes = 0, .latency_s = 1e-6},
                                      {.from_bytes = 4096, .latency_s = -2e-7}},
                         .samples = {{8, true, {1e-6, 1.1e-6}}, {64, false, {2e-6}}}}},
          .exchange = {{.ranks = 4, .level = 1, .oversubscribed = true}},
          .provenance = provenance_here("files_test", "", "steady")};
}

TEST(TraceFile, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x.trace.jsonl");
  const Trace trace = read_trace(folder / "x.trace.jsonl");
  EXPECT_EQ(trace.run.app, "example");
  EXPECT_EQ(trace.run.seed, UINT64_MAX);
  EXPECT_EQ(trace.run.options.at("graph"), "gnm");
  EXPECT_EQ(trace.run.clock_offset_ns, (std::vector<std::int64_t>{0, -12}));
  EXPECT_EQ(trace.run.provenance.command_line, "files_test --x");
  const Provenance here = provenance_here("files_test", "", "steady");
  EXPECT_EQ(trace.run.provenance.cache_bytes, here.cache_bytes);
  EXPECT_TRUE(std::is_sorted(here.cache_bytes.begin(), here.cache_bytes.end()));
  ASSERT_EQ(trace.repetitions.size(), 2U);
  EXPECT_TRUE(trace.repetitions[0].warm_up);
  EXPECT_EQ(trace.repetitions[1].elapsed_ns, 130);
  EXPECT_EQ(trace.repetitions[1].sizes.at("edges_2"), 3);
  ASSERT_EQ(trace.spans.size(), 10U);
  EXPECT_EQ(trace.spans[0].span.begin_ns, -5);
  EXPECT_EQ(trace.sizes_of(trace.spans[1].span), (NamedSizes{{"N", 500}, {"nodes", 7}}));
  EXPECT_EQ(trace.spans[9].rank, 1);
  EXPECT_EQ(trace.dropped, 2);
  ASSERT_EQ(trace.workers.size(), 4U);
  EXPECT_EQ(trace.workers[1].repetition, 1);
  EXPECT_EQ(trace.workers[3].statistics.rank, 1);
  EXPECT_EQ(trace.workers[3].statistics.nodes, 7);
  EXPECT_EQ(trace.workers[3].statistics.searches, 2);
  EXPECT_EQ(trace.workers[3].statistics.ending_ns, 11);
}

TEST(TraceFile, OneOfAnEarlierVersionIsRefused) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x");
  std::string text = read_file(folder / "x");
  const std::string version = "\"version\":3";
  text.replace(text.find(version), version.size(), "\"version\":2");
  write_file(folder / "y", text);
  EXPECT_EQ(
      message_of([&] { read_trace(folder / "y"); }),
      (folder / "y").string() +
          ": line 1: field 'version' is 2, this program reads version 3 and 4 of cleave-trace");
}

TEST(TraceFile, OfARehearsalIsOfAnotherVersionAndNamesItsRanks) {
  const TemporaryFolder folder;
  RunInformation run{.app = "example",
                     .type = "hypercube",
                     .placement = "rooted",
                     .ranks = 8,
                     .clock_offset_ns = std::vector<std::int64_t>(8, 0),
                     .rehearsed = {0, 5},
                     .provenance = provenance_here("files_test", "", "steady")};
  TraceWriter(folder / "x", run).commit();
  EXPECT_EQ(read_trace(folder / "x").run.rehearsed, (std::vector{0, 5}));
  const std::string text = read_file(folder / "x");
  EXPECT_NE(text.find("\"version\":4"), std::string::npos);
  const auto with = [&](const std::string& ranks) {
    std::string changed = text;
    changed.replace(changed.find("[0,5]"), 5, ranks);
    write_file(folder / "y", changed);
    return message_of([&] { read_trace(folder / "y"); });
  };
  const std::string file = (folder / "y").string();
  EXPECT_EQ(with("[]"), file + ": line 1: field 'rehearsed' must name a rank at least");
  EXPECT_NE(with("[8]").find("field 'rehearsed[0]'"), std::string::npos);
}

TEST(TraceFile, OneThatWasCutShortAnywhereIsRefused) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x.trace.jsonl");
  const std::string text = read_file(folder / "x.trace.jsonl");
  for (std::size_t length = 0; length + 1 < text.size(); length += 7) {
    std::ofstream(folder / "cut", std::ios::binary) << text.substr(0, length);
    EXPECT_THROW(read_trace(folder / "cut"), FileError) << length << " bytes";
  }
}

TEST(TraceFile, MessagesNameTheFileTheLineAndTheField) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x");
  const std::string text = read_file(folder / "x");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    write_file(folder / "y", changed);
    return message_of([&] { read_trace(folder / "y"); });
  };
  const std::string file = (folder / "y").string();
  EXPECT_EQ(
      with("\"version\":3", "\"version\":9"),
      file + ": line 1: field 'version' is 9, this program reads version 3 and 4 of cleave-trace");
  EXPECT_EQ(with("\"block\":\"divide\"", "\"block\":\"split\""),
            file +
                ": line 4: field 'block' is 'split', allowed are divide, exchange, combine, "
                "sequential, conquer, skeleton, wait, steal, idle, sample, pivot, partition");
  EXPECT_EQ(with("\"rank\":0", "\"rank\":2"),
            file + ": line 4: field 'rank' must be an integer from 0 to 1, found 2");
  EXPECT_EQ(with("\"elapsed_ns\":130", "\"elapsed_ns\":\"x\""),
            file +
                ": line 2: field 'elapsed_ns' must be an integer from 0 to 9223372036854775807, "
                "found \"x\"");
  EXPECT_EQ(with("\"begin_ns\":-5", "\"begin_ns\":-9000000000000000000"),
            file +
                ": line 4: field 'begin_ns' must be an integer from -1152921504606846976 to "
                "1152921504606846976, found -9000000000000000000");
  EXPECT_EQ(with(R"("graph":"gnm")", R"("graph":1)"),
            file + ": line 1: in 'options': field 'graph' must be a string, found 1");
  EXPECT_EQ(with("[0,-12]", "[0]"),
            file + ": line 1: field 'clock_offset_ns' must hold one number for each of 2 ranks");
  EXPECT_EQ(with(R"({"N":500,"nodes":7})", R"({"N":1,"a":1,"b":1,"c":1})"),
            file + ": line 5: field 'sizes' holds 4 sizes, at most 3 are allowed");
  EXPECT_EQ(with("\"seed\":18446744073709551615", "\"seed\":-1"),
            file + ": line 1: field 'seed' must be an unsigned integer, found -1");
  EXPECT_EQ(with("\"elapsed_ns\":130", "\"elapsed_ns\":1e999"),
            file + ": line 2: holds a number that is too large");
  EXPECT_EQ(with(R"({"N":500,"nodes":7})", R"({"a b":1})"),
            file +
                ": line 5: field 'sizes' 'a b' is not a name of a size: a letter, then letters, "
                "digits and '_', at most 64");
  EXPECT_EQ(with("\"lines\":20", "\"lines\":19"),
            file + ": line 20: field 'lines' does not match the 20 lines found");
  write_file(folder / "y", text + "{}\n");
  EXPECT_EQ(message_of([&] { read_trace(folder / "y"); }), file + ": line 21: text after the end");
  write_file(folder / "y", "not a trace\n");
  EXPECT_EQ(message_of([&] { read_trace(folder / "y"); }), file + ": line 1: not JSON (at byte 2)");
  EXPECT_EQ(message_of([&] { read_trace(folder / "none"); }),
            (folder / "none").string() + ": cannot read");
}

TEST(TraceFile, OfMoreListsOfNamesThanASpanCanTellIsRefused) {
  const TemporaryFolder folder;
  TraceWriter writer(folder / "x", {.app = "example",
                                    .type = "hypercube",
                                    .placement = "rooted",
                                    .clock_offset_ns = {0},
                                    .provenance = provenance_here("files_test", "", "steady")});
  for (int i = 0; i <= 256; ++i) {
    const std::string name = "size" + std::to_string(i);
    Recorder recorder(monotonic_ns, 1);
    recorder.record(Block::divide, 0, 1, 0, 1, 0, {{name, i}});
    writer.add_lines(span_lines(recorder, 0, 0, 1));
  }
  writer.commit();
  EXPECT_EQ(message_of([&] { read_trace(folder / "x"); }),
            (folder / "x").string() +
                ": line 258: field 'sizes' is the 257th different list of names, 256 are allowed");
}

TEST(MachineFile, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  const Machine written = example_machine();
  write_machine(folder / "m", written);
  const Machine machine = read_machine(folder / "m");
  EXPECT_EQ(to_text(machine), to_text(written));
  EXPECT_FALSE(machine.alltoallv[0].stable());
  EXPECT_EQ(machine.alltoallv[0].segment_of(4095).latency_s, 1e-6);
  EXPECT_EQ(machine.alltoallv[0].segment_of(4096).latency_s, -2e-7);
}

TEST(MachineFile, WrittenByHandNeedsRanksLatencyAndGapAlone) {
  const TemporaryFolder folder;
  const auto refusal_of = [&](const std::string& text) {
    write_file(folder / "m", text);
    return message_of([&] { read_machine(folder / "m"); });
  };
  const std::string begin = R"({"format":"cleave-machine","version":2,"name":"by hand")";
  EXPECT_EQ(refusal_of(begin + R"(,"exchange":[{"ranks":2,"latency_s":1e-6,"gap_s_per_byte":0}]})"),
            "nothing was thrown");
  EXPECT_EQ(read_machine(folder / "m").exchange.at(0).worst_latency_s, 1e-6);
  EXPECT_EQ(refusal_of(begin + "}"), (folder / "m").string() +
                                         ": field 'exchange' has no entry, nor has 'alltoallv': a "
                                         "machine needs l and g");
}

TEST(MachineFile, SegmentsThatDoNotAscendAreRefused) {
  const TemporaryFolder folder;
  std::string text = to_text(example_machine());
  const std::string from = "\"from_bytes\": 4096.0";
  text.replace(text.find(from), from.size(), "\"from_bytes\": 0");
  write_file(folder / "m", text);
  EXPECT_EQ(message_of([&] { read_machine(folder / "m"); }),
            (folder / "m").string() +
                ": in 'alltoallv[0]': field 'segments' must ascend in from_bytes, from 0 on");
}

/// Reads damaged copies of `file`; each is read or refused by a FileError, never anything else.
template <class Read>
void fuzz(const TemporaryFolder& folder, const std::filesystem::path& file, Read&& read) {
  const std::string text = read_file(file);
  std::mt19937 random(20261121);
  int refused = 0;
  constexpr int kCopies = 2000;
  for (int i = 0; i < kCopies; ++i) {
    std::ofstream(folder / "damaged", std::ios::binary) << damaged(text, random);
    try {
      read(folder / "damaged");
    } catch (const FileError& e) {
      ++refused;
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(refused, kCopies / 2);
}

TEST(TraceFile, DamagedCopiesAreRefusedCleanly) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x");
  fuzz(folder, folder / "x", read_trace);
}

TEST(MachineFile, DamagedCopiesAreRefusedCleanly) {
  const TemporaryFolder folder;
  write_machine(folder / "m", example_machine());
  fuzz(folder, folder / "m", read_machine);
}

TEST(TraceFile, RefusesToWriteASizeThatNobodyCouldName) {
  for (const char* name : {"", "n-1", "edges per node", "1N", "a\033[31m"}) {
    Recorder of_run([] { return std::int64_t{0}; });
    of_run.begin_repetition(0, false);
    of_run.add_run_sizes({{name, 1}});
    of_run.end_repetition(1);
    Recorder of_span([] { return std::int64_t{0}; });
    of_span.begin_repetition(0, false);
    of_span.record(Block::divide, 0, 1, 0, 1, 0, {{name, 1}});
    of_span.end_repetition(1);
    EXPECT_THROW(check_size_names(of_run), Error) << name;
    EXPECT_THROW(check_size_names(of_span), Error) << name;
  }
  Recorder good([] { return std::int64_t{0}; });
  good.begin_repetition(0, false);
  good.add_run_sizes({{"N", 1}, {"edges_2", 1}});
  good.end_repetition(1);
  EXPECT_NO_THROW(check_size_names(good));
}

TEST(TraceFile, ShowsNothingThatATerminalWouldObey) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x");
  std::string text = read_file(folder / "x");
  const std::string app = "\"app\":\"";
  text.insert(text.find(app) + app.size(), "\\u001b[31m\\u009b5m\\n\\u007f");
  write_file(folder / "y", text);
  EXPECT_EQ(read_trace(folder / "y").run.app.substr(0, 10), "?[31m?5m??");
}

}  // namespace
}  // namespace cleave
