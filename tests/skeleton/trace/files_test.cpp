// SPDX-License-Identifier: Apache-2.0
// Trace and machine files: what is written is read back, what is damaged gets one clear line.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using ::cleave::testing::message_of;
using ::cleave::testing::TemporaryFolder;

void write_example_trace(const std::filesystem::path& path) {
  Recorder recorder(monotonic_ns, 5);
  for (int repetition = 0; repetition < 2; ++repetition) {
    recorder.begin_repetition(repetition, repetition == 0);
    recorder.add_run_sizes({{"N", 1000}, {"edges_2", 3}});
    recorder.record(Block::divide, 0, 2, -5, 10, 0, {{"N", 1000}});
    recorder.record(Block::sequential, 1, 1, 10, {110, 60}, 0, {{"N", 500}, {"nodes", 7}});
    recorder.record(Block::exchange, 0, 2, 110, 120, 4096, {});
    recorder.add_worker({.rank = 9,
                         .thread = 0,
                         .nodes = 7,
                         .searches = 2,
                         .searching_delay_ns = 5,
                         .ending_ns = 11});
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
                     .files = {{"program", "0123456789abcdef"}},
                     .clock_offset_ns = {0, -12},
                     .provenance = provenance_here("files_test", "files_test --x", "steady")};
  TraceWriter writer(path, run);
  for (const Repetition& repetition : recorder.repetitions()) {
    writer.add(repetition);
  }
  for (int rank = 0; rank < 2; ++rank) {
    writer.add_lines(span_lines(recorder, rank, 0, 3));
    writer.add_lines(span_lines(recorder, rank, 3, 100));
    writer.add_lines(last_lines(recorder, rank));
  }
  writer.commit();
}

Machine example_machine() {
  return {.name = "here",
          .exchange = {{.ranks = 2,
                        .latency_s = 1e-6,
                        .latency_error_s = 1e-8,
                        .gap_s_per_byte = 7e-11,
                        .r_squared = 0.99,
                        .segments = {{.from_bytes = 0, .latency_s = 1e-6},
                                     {.from_bytes = 4096, .latency_s = -2e-7}},
                        .samples = {{8, true, {1e-6, 1.1e-6}}, {64, false, {2e-6}}}},
                       {.ranks = 4, .level = 1, .oversubscribed = true}},
          .provenance = provenance_here("files_test", "", "steady")};
}

TEST(TraceFile, IsReadBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x.trace.jsonl");
  const Trace trace = read_trace(folder / "x.trace.jsonl");
  const Provenance here = provenance_here("files_test", "", "steady");
  EXPECT_EQ(trace.run.seed, UINT64_MAX);
  EXPECT_EQ(trace.run.options.at("graph"), "gnm");
  EXPECT_EQ(trace.run.files.at("program"), "0123456789abcdef");
  EXPECT_EQ(trace.run.clock_offset_ns, (std::vector<std::int64_t>{0, -12}));
  EXPECT_EQ(trace.run.provenance.command_line, "files_test --x");
  ASSERT_EQ(trace.repetitions.size(), 2U);
  EXPECT_TRUE(trace.repetitions[0].warm_up);
  EXPECT_EQ(trace.repetitions[1].elapsed_ns, 130);
  EXPECT_EQ(trace.repetitions[1].sizes.at("edges_2"), 3);
  ASSERT_EQ(trace.spans.size(), 10U);
  EXPECT_EQ(trace.spans[0].span.begin_ns, -5);
  EXPECT_EQ(trace.sizes_of(trace.spans[1].span), (NamedSizes{{"N", 500}, {"nodes", 7}}));
  EXPECT_EQ(trace.spans[1].span.run_delay_ns, 60);
  EXPECT_EQ(trace.spans[2].span.run_delay_ns, 0);
  EXPECT_EQ(read_file(folder / "x.trace.jsonl").find("run_delay_ns\":0"), std::string::npos);
  EXPECT_EQ(trace.spans[9].rank, 1);
  EXPECT_EQ(trace.dropped, 2);
  ASSERT_EQ(trace.workers.size(), 4U);
  EXPECT_EQ(trace.workers[1].repetition, 1);
  EXPECT_EQ(trace.workers[3].statistics.rank, 1);
  EXPECT_EQ(trace.workers[3].statistics.ending_ns, 11);
  EXPECT_EQ(trace.workers[3].statistics.searching_delay_ns, 5);
}

/// The refusal of `text` as a file by `read`, after "FILE: ", the first `from` being `to`.
template <class Read>
std::string refusal(Read&& read, std::string text, const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  text.replace(text.find(from), from.size(), to);
  write_file(folder / "x", text);
  const std::string message = message_of([&] { read(folder / "x"); });
  const std::string file = (folder / "x").string() + ": ";
  return message.starts_with(file) ? message.substr(file.size()) : message;
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
  EXPECT_EQ(refusal(read_trace, text, "[0,5]", "[]"),
            "line 1: field 'rehearsed' must name a rank at least");
  EXPECT_EQ(refusal(read_trace, text, "[0,5]", "[8]"),
            "line 1: field 'rehearsed[0]' must be an integer from 0 to 7, found 8");
}

TEST(TraceFile, MessagesNameTheFileTheLineAndTheField) {
  const TemporaryFolder folder;
  write_example_trace(folder / "x");
  const std::string text = read_file(folder / "x");
  const std::vector<std::array<std::string, 3>> table = {
      {"\"version\":3", "\"version\":2",
       "line 1: field 'version' is 2, this program reads version 3 and 4 of cleave-trace"},
      {"\"rank\":0", "\"rank\":2", "line 4: field 'rank' must be an integer from 0 to 1, found 2"},
      {"\"begin_ns\":-5", "\"begin_ns\":-9000000000000000000",
       "line 4: field 'begin_ns' must be an integer from -1152921504606846976 to "
       "1152921504606846976, found -9000000000000000000"},
      {R"("graph":"gnm")", R"("graph":1)",
       "line 1: in 'options': field 'graph' must be a string, found 1"},
      {"[0,-12]", "[0]",
       "line 1: field 'clock_offset_ns' must hold one number for each of 2 ranks"},
      {R"({"N":500,"nodes":7})", R"({"N":1,"a":1,"b":1,"c":1})",
       "line 5: field 'sizes' holds 4 sizes, at most 3 are allowed"},
      {R"({"N":500,"nodes":7})", R"({"a b":1})",
       "line 5: field 'sizes' 'a b' is not a name of a size: a letter, then letters, digits and "
       "'_', at most 64"},
      {"\"lines\":20", "\"lines\":19", "line 20: field 'lines' does not match the 20 lines found"},
      {"\"lines\":20}\n", "\"lines\":20}\n{}\n", "line 21: text after the end"},
      {text, "not a trace\n", "line 1: not JSON (at byte 2)"}};
  for (const auto& [from, to, message] : table) {
    EXPECT_EQ(refusal(read_trace, text, from, to), message);
  }
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
  EXPECT_EQ(json_text(machine), json_text(written));
  EXPECT_EQ(machine.exchange[0].segment_of(4095).latency_s, 1e-6);
  EXPECT_EQ(machine.exchange[0].segment_of(4096).latency_s, -2e-7);
}

TEST(MachineFile, WrittenByHandNeedsRanksLatencyAndGapAlone) {
  const TemporaryFolder folder;
  const std::string text = R"({"format":"cleave-machine","version":2,"name":"by hand","exchange":)"
                           R"([{"ranks":2,"latency_s":1e-6,"gap_s_per_byte":0}]})";
  write_file(folder / "m", text);
  EXPECT_EQ(read_machine(folder / "m").exchange.at(0).latency_s, 1e-6);
  EXPECT_EQ(refusal(read_machine, text, text.substr(text.find('[')), "[]}"),
            "field 'exchange' has no entry: a machine needs l and g");
  EXPECT_EQ(refusal(read_machine, json_text(example_machine(), 1), "\"from_bytes\": 4096.0",
                    "\"from_bytes\": 0"),
            "in 'exchange[0]': field 'segments' must ascend in from_bytes, from 0 on");
}

TEST(TraceFile, RefusesToWriteASizeThatNobodyCouldName) {
  for (const char* name : {"N", "edges_2", "", "n-1", "edges per node", "1N", "a\033[31m"}) {
    Recorder of_run;
    of_run.add_run_sizes({{name, 1}});
    of_run.end_repetition(1);
    Recorder of_span;
    of_span.record(Block::divide, 0, 1, 0, 1, 0, {{name, 1}});
    for (const Recorder* recorder : {&of_run, &of_span}) {
      const std::string message = message_of([&] { check_size_names(*recorder); });
      EXPECT_EQ(message == "nothing was thrown", is_size_name(name)) << message;
    }
  }
}

}  // namespace
}  // namespace cleave
