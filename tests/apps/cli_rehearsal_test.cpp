// SPDX-License-Identifier: Apache-2.0
// --rehearse, as a person gives it: the spans are those of a run on all the ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <cleave/trace/trace_file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace cleave::testing;
namespace {

/// What each rank does in a repetition, but for messages, by rank.
std::map<int, Arguments> work_in(const Trace& trace, int repetition) {
  std::map<int, Arguments> work;
  for (const auto& [rank, span] : trace.spans) {
    if (span.repetition == repetition && span.block != Block::exchange &&
        span.block != Block::wait) {
      work[rank].push_back(fmt::format("{} at level {} of {} ranks: {} B, {}", name_of(span.block),
                                       span.level, span.group, span.bytes,
                                       format_sizes(trace.sizes_of(span))));
    }
  }
  return work;
}

Trace trace_of(int processes, const std::string& program, Arguments arguments) {
  const TemporaryFolder folder;
  const auto file = folder / "run.trace.jsonl";
  arguments.insert(arguments.end(),
                   {"--trace", file.string(), "--repetitions", "2", "--warm-up", "0", "--json"});
  const Finished finished = run(processes, program, arguments);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.err.find("not deterministic"), std::string::npos) << finished.err;
  return read_trace(file);
}

/// Every rank of P, two of them at once where there are as many, is rehearsed as it runs.
void expect_rehearsed_as_run(const std::string& program, const Arguments& arguments) {
  for (const int ranks : kRanks) {
    SCOPED_TRACE(fmt::format("{} {} on {}", program, fmt::join(arguments, " "), ranks));
    const Trace real = trace_of(ranks, program, arguments);
    std::string all;
    for (int rank = 0; rank < ranks; ++rank) {
      all += (rank == 0 ? ":" : ",") + std::to_string(rank);
    }
    Arguments more = arguments;
    more.insert(more.end(), {"--rehearse", std::to_string(ranks) + all});
    const Trace rehearsed = trace_of(ranks % 2 == 0 ? 2 : 1, program, more);
    EXPECT_EQ(rehearsed.run.ranks, ranks);
    EXPECT_EQ(std::ssize(rehearsed.run.rehearsed), ranks);
    ASSERT_EQ(rehearsed.repetitions.size(), 3U);
    EXPECT_TRUE(rehearsed.repetitions[0].warm_up);
    EXPECT_EQ(rehearsed.repetitions[2].sizes, real.repetitions[1].sizes);
    EXPECT_EQ(work_in(rehearsed, 1), work_in(real, 0));
    EXPECT_EQ(work_in(rehearsed, 2), work_in(real, 1));
    for (const auto& [rank, leaf] : work_in(rehearsed, 0)) {
      const Arguments work = work_in(real, 1).at(rank);
      EXPECT_EQ(leaf.size(), 1U);
      EXPECT_NE(std::ranges::find(work, leaf[0]), work.end()) << leaf[0];
    }
    for (const auto& [rank, span] : rehearsed.spans) {
      EXPECT_TRUE(span.block != Block::exchange && span.block != Block::wait);
    }
  }
}

TEST(Rehearse, DoesWhatEveryRankOfQuicksortDoes) {
  for (const char* const placement : {"replicated", "rooted", "distributed"}) {
    expect_rehearsed_as_run("quicksort", {"--size", "N=50K", "--placement", placement});
  }
}

TEST(Rehearse, OfNewInputsDoesWhatEachRepetitionDoes) {
  for (const char* const placement : {"replicated", "distributed"}) {
    expect_rehearsed_as_run("quicksort",
                            {"--size", "N=50K", "--placement", placement, "--inputs", "new"});
  }
}

TEST(Rehearse, DoesWhatEveryRankOfComponentsDoes) {
  for (const char* const placement : {"replicated", "distributed"}) {
    expect_rehearsed_as_run("components", {"--size", "N=4K,M=6K", "--placement", placement});
  }
}

TEST(Rehearse, TakesRanksThatAreEvenlySpacedByDefault) {
  EXPECT_EQ(trace_of(2, "quicksort", {"--size", "N=1K", "--rehearse", "9"}).run.rehearsed,
            (std::vector{0, 4}));
}

TEST(Rehearse, TellsPeopleWhichRanksAndForHowLong) {
  const Finished finished =
      run(1, "quicksort", {"--size", "N=1K", "--rehearse", "9:0,4", "--repetitions", "3"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  const std::vector<std::string> lines = lines_of(finished.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "quicksort, ranks 0, 4 of 9 rehearsed, hypercube, distributed");
  EXPECT_EQ(lines[1], "N                     1024");
  EXPECT_TRUE(lines[2].starts_with("time  ")) << lines[2];
  EXPECT_TRUE(lines[2].ends_with(" median of 3, without messages")) << lines[2];
}

/// A machine that a person wrote.
std::string machine_in(const TemporaryFolder& folder) {
  const auto file = folder / "m.machine.json";
  std::ofstream(file) << R"({"format": "cleave-machine", "version": 2, "name": "by hand",
    "exchange": [{"ranks": 2, "latency_s": 1e-6, "gap_s_per_byte": 1e-10}]})";
  return file.string();
}

TEST(Rehearse, SearchesOnAllRanksAsARunDoes) {
  const TemporaryFolder folder;
  const auto file = folder / "search.trace.jsonl";
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    const Finished finished =
        run(1, "uts",
            {"--tree", "prins:T1", "--rehearse", std::to_string(ranks), "--ranks-per-host", "8",
             "--network", machine_in(folder), "--trace", file.string(), "--repetitions", "2",
             "--json", "--verify"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto told = nlohmann::json::parse(finished.out);
    EXPECT_EQ(told.at("ranks"), ranks);
    EXPECT_EQ(told.at("rehearsed"), true);
    EXPECT_EQ(told.at("nodes"), 50045);
    EXPECT_EQ(told.at("leaves"), 38333);
    EXPECT_EQ(told.at("seconds").size(), 2U);
    EXPECT_GT(told.at("efficiency"), 0.0);
    EXPECT_LE(told.at("efficiency"), 1.0);
    const Trace trace = read_trace(file);
    EXPECT_EQ(trace.run.ranks, ranks);
    EXPECT_EQ(trace.run.ranks_per_host, std::min(ranks, 8));
    EXPECT_EQ(std::ssize(trace.run.rehearsed), ranks);
    EXPECT_EQ(std::ssize(trace.workers), 3 * ranks);  // warm-up, too
    std::int64_t nodes = 0;
    for (const auto& [repetition, worker] : trace.workers) {
      nodes += worker.nodes;
    }
    EXPECT_EQ(nodes, 3 * 50044);  // the root is nobody's visit
    EXPECT_FALSE(trace.spans.empty());
  }
}

TEST(Rehearse, SaysInOneLineWhatIsWrongWithASearch) {
  const TemporaryFolder folder;
  const auto expect = [&](int processes, const Arguments& options, const std::string& line) {
    Arguments arguments = {"--tree",           "prins:T1",         "--network",
                           machine_in(folder), "--ranks-per-host", "4"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_failure(processes, "uts", arguments, 2, line);
  };
  expect(1, {"--rehearse", "4:1"}, "--rehearse: all ranks of a search run here, say --rehearse 4");
  expect(1, {"--rehearse", "4", "--threads", "2"},
         "--rehearse: --threads is not for a rehearsal, whose ranks have one thread each");
  expect(1, {"--rehearse", "8K"}, "--rehearse: 8192 ranks of a search, allowed are 4096");
  expect(2, {"--rehearse", "4"}, "--rehearse: one process rehearses all ranks of a search, not 2");
  expect(1, {}, "--network and --ranks-per-host are for a rehearsed search: add --rehearse P");
  expect_failure(1, "uts", {"--tree", "prins:T1", "--rehearse", "4"}, 2,
                 "--rehearse: say by --network what messages of a search take, a file that "
                 "cleave-calibrate writes");
}

TEST(Rehearse, SaysInOneLineWhatIsWrong) {
  const auto expect = [](int processes, const Arguments& options, const std::string& line) {
    Arguments arguments = {"--size", "N=1K"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_failure(processes, "quicksort", arguments, 2, line);
  };
  expect(1, {"--rehearse", "0"}, "--rehearse: '0' is out of range: from 1 to 16777216");
  expect(1, {"--rehearse", "4:4"}, "--rehearse: '4' is out of range: from 0 to 3");
  expect(1, {"--rehearse", "4:"},
         "--rehearse: '' is not a count: digits, then K, M or G (1024-based)");
  expect(1, {"--rehearse", "4:1,1"}, "--rehearse: '4:1,1' names a rank twice");
  expect(2, {"--rehearse", "4:1,2,3"},
         "--rehearse: 3 ranks for 2 processes, name as many for each");
  expect(2, {"--rehearse", "1"}, "--rehearse: 2 processes for 1 rank, start at most 1");
  expect(1, {"--rehearse", "4", "--verify"},
         "--rehearse: --verify is not for a rehearsal, which has no result");
  expect(1, {"--rehearse", "4", "--threads", "2"},
         "--threads: hypercube of cleave-quicksort runs one thread a rank, give the application "
         "`small` or take --type work_stealing");
  expect(1, {"--rehearse", "4", "--type", "sequential"},
         "--rehearse: sequential is not rehearsed, take --type hypercube");
}

}  // namespace
}  // namespace cleave
