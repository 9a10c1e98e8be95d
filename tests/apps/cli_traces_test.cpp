// SPDX-License-Identifier: Apache-2.0
// What the applications repeat, the traces that they write, and rehearsals, with the spans of runs.
#include <map>
#include <set>

#include <cleave/file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace cleave::testing;
namespace {

/// The trace of a run, `check` of whose object has passed.
Trace trace_of(int processes, const std::string& command, json* printed = nullptr) {
  const TemporaryFolder folder;
  const std::string file = folder / "run.trace.jsonl";
  const json found = json_of(processes, command + " --repetitions 2 --trace " + file);
  if (printed != nullptr) {
    *printed = found;
  }
  return read_trace(file);
}

/// How many keys each rank sorts in each repetition, the warm-up first.
std::vector<std::map<int, std::int64_t>> keys_sorted(int ranks, const std::string& options) {
  const Trace trace =
      trace_of(ranks, "quicksort --size N=10K --placement replicated --verify --seed " + options);
  std::vector<std::map<int, std::int64_t>> keys(trace.repetitions.size());
  for (const auto& [rank, span] : trace.spans) {
    if (span.block == Block::sequential) {
      keys.at(span.repetition)[rank] = trace.sizes_of(span).at("N");
    }
  }
  return keys;
}

TEST(Inputs, AreNewInEachRepetitionAndInTheLastThoseOfTheSeed) {
  for (const int ranks : any_ranks({2, 5})) {
    if (ranks == 1) {
      continue;  // it sorts all keys, whichever they are
    }
    SCOPED_TRACE(ranks);
    const auto same = keys_sorted(ranks, "7");
    ASSERT_EQ(same.size(), 3U);
    EXPECT_EQ(same[0], same[2]);
    EXPECT_EQ(same[1], same[2]);
    const auto fresh = keys_sorted(ranks, "7 --inputs new");
    ASSERT_EQ(fresh.size(), 3U);
    EXPECT_EQ(fresh[2], same[2]);
    EXPECT_NE(fresh[1], fresh[2]);
    EXPECT_NE(fresh[0], fresh[1]);
    EXPECT_EQ(fresh[1], keys_sorted(ranks, std::to_string((std::int64_t{1} << 32) + 7))[2]);
  }
}

TEST(Inputs, ThatAreNewGiveTheResultOfTheSeed) {
  const std::string graph = "components --size N=1K,M=1K --seed 3 --inputs ";
  const json expected = verified(1, graph + "same")["components"];
  for (const int ranks : kRanks) {
    for (const char* const options : {"new", "new --placement replicated"}) {
      EXPECT_EQ(verified(ranks, graph + options)["components"], expected);
    }
  }
}

TEST(Trace, HasWhatWasRun) {
  json printed;
  const Trace trace = trace_of(3, "quicksort --size N=10K --seed 9", &printed);
  const RunInformation& of = trace.run;
  EXPECT_EQ(fmt::format("{} {} {} {} {} {} {} {}", of.app, of.type, of.placement, of.ranks, of.seed,
                        of.repetitions, of.warm_up, of.inputs),
            "quicksort hypercube distributed 3 9 2 1 same");
  EXPECT_EQ(of.options.at("size"), "N=10K");
  EXPECT_EQ(of.options.at("input"), "uniform");
  ASSERT_EQ(trace.repetitions.size(), 3U);
  EXPECT_TRUE(trace.repetitions[0].warm_up);
  EXPECT_EQ(trace.repetitions[1].sizes, (NamedSizes{{"N", 10240}}));
  EXPECT_DOUBLE_EQ(static_cast<double>(trace.repetitions[1].elapsed_ns) / 1e9,
                   printed["seconds"][0].get<double>());
  std::map<int, int> leaves;  // of each rank
  for (const auto& [rank, span] : trace.spans) {
    leaves[rank] += span.block == Block::sequential ? 1 : 0;
  }
  EXPECT_EQ(leaves, (std::map<int, int>{{0, 3}, {1, 3}, {2, 3}}));
}

TEST(Trace, OnStandardOutputIsAloneThere) {
  const TemporaryFolder folder;
  const Finished finished = run(2, "quicksort --size N=10K --repetitions 1 --trace -");
  EXPECT_EQ(finished.status, 0) << finished.err;
  write_file(folder / "run.trace.jsonl", finished.out);
  EXPECT_EQ(read_trace(folder / "run.trace.jsonl").run.ranks, 2);
}

TEST(Delay, OfOneRankDelaysTheRun) {
  const json found = json_of(2, CLEAVE_INSTRUMENTED
                             "/cleave-components --inject "
                             "delay:rank=1,level=0,block=divide,ms=30 --size N=1K,M=1K "
                             "--placement replicated");
  for (const json& seconds : found["seconds"]) {
    EXPECT_GE(seconds, 0.03);
  }
}

using Track = std::pair<int, int>;  // rank, thread

/// The timeline that Chrome and Perfetto read has every span on the track of its rank or worker.
void expect_timeline(const std::string& command, const std::map<Track, std::string>& tracks,
                     const std::set<std::string>& blocks) {
  const TemporaryFolder folder;
  const std::string trace = folder / "two.trace.jsonl";
  const std::string exported = folder / "two.json";
  once(2, command + " --trace " + trace);
  const Finished finished =
      run_program({kPrograms + "/cleave", "export", trace, "--out", exported});
  EXPECT_EQ(finished.status, 0) << finished.err;

  const auto timeline = json::parse(read_file(exported), nullptr, false);
  ASSERT_TRUE(timeline.is_object());
  std::map<Track, std::string> names;
  std::set<std::string> found;
  std::ptrdiff_t spans = 0;
  for (const auto& event : timeline.at("traceEvents")) {
    const auto track = [&event] {
      return Track(event.at("pid").get<int>(), event.at("tid").get<int>());
    };
    if (event.at("ph") == "X") {
      ++spans;
      EXPECT_TRUE(tracks.contains(track()));
      EXPECT_GE(event.at("ts"), 0);
      EXPECT_GE(event.at("dur"), 0);
      found.insert(event.at("name").get<std::string>());
    } else if (event.at("name") == "thread_name") {
      names[track()] = event.at("args").at("name").get<std::string>();
    }
  }
  EXPECT_EQ(names, tracks);
  EXPECT_TRUE(std::ranges::includes(found, blocks));
  EXPECT_EQ(spans, std::ssize(read_trace(trace).spans));
}

TEST(Timeline, HasEverySpanOfARunOnItsRank) {
  expect_timeline("components --size N=64K,M=512K", {{{0, 0}, "thread 0"}, {{1, 0}, "thread 0"}},
                  {"sequential", "exchange", "combine"});
  expect_timeline(
      "uts --tree prins:T3 --type work_stealing --threads 2",
      {{{0, 0}, "worker 0"}, {{0, 1}, "worker 1"}, {{1, 0}, "worker 0"}, {{1, 1}, "worker 1"}},
      {"sequential"});
}

/// The blocks of each rank in a repetition, but for messages, by rank.
std::map<int, std::vector<std::string>> work_in(const Trace& trace, int repetition) {
  std::map<int, std::vector<std::string>> work;
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

/// Every rank of P is rehearsed as it runs, all at once.
void expect_rehearsed_as_run(const std::string& command) {
  for (const int ranks : kRanks) {
    SCOPED_TRACE(fmt::format("{} on {}", command, ranks));
    const Trace real = trace_of(ranks, command + " --warm-up 0");
    const Trace rehearsed =
        trace_of(ranks, fmt::format("{} --warm-up 0 --rehearse {}", command, ranks));
    EXPECT_EQ(rehearsed.run.ranks, ranks);
    EXPECT_EQ(std::ssize(rehearsed.run.rehearsed), ranks);
    ASSERT_EQ(rehearsed.repetitions.size(), 3U);
    EXPECT_TRUE(rehearsed.repetitions[0].warm_up);
    EXPECT_EQ(rehearsed.repetitions[2].sizes, real.repetitions[1].sizes);
    EXPECT_EQ(work_in(rehearsed, 1), work_in(real, 0));
    EXPECT_EQ(work_in(rehearsed, 2), work_in(real, 1));
    for (const auto& [rank, leaf] : work_in(rehearsed, 0)) {
      const auto work = work_in(real, 1).at(rank);
      EXPECT_EQ(leaf.size(), 1U);
      EXPECT_NE(std::ranges::find(work, leaf[0]), work.end()) << leaf[0];
    }
    for (const auto& [rank, span] : rehearsed.spans) {
      EXPECT_TRUE(span.block != Block::exchange && span.block != Block::wait);
    }
  }
}

TEST(Rehearse, DoesWhatEveryRankDoes) {
  for (const std::string placement : {"replicated", "distributed"}) {
    expect_rehearsed_as_run("quicksort --size N=50K --placement " + placement);
    expect_rehearsed_as_run("quicksort --size N=50K --inputs new --placement " + placement);
    expect_rehearsed_as_run("components --size N=4K,M=6K --placement " + placement);
  }
  expect_rehearsed_as_run("quicksort --size N=50K --placement rooted");
}

TEST(Rehearse, TakesRanksThatAreEvenlySpacedAndTellsPeopleWhichAndForHowLong) {
  EXPECT_EQ(trace_of(2, "quicksort --size N=1K --rehearse 9").run.rehearsed, (std::vector{0, 4}));
  const Finished finished = run(2, "quicksort --size N=1K --rehearse 9 --repetitions 3");
  EXPECT_EQ(finished.status, 0) << finished.err;
  const std::vector<std::string> lines = lines_of(finished.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "quicksort, ranks 0, 4 of 9 rehearsed, hypercube, distributed");
  EXPECT_EQ(lines[1], "N                     1K");
  EXPECT_TRUE(lines[2].starts_with("time  ")) << lines[2];
  EXPECT_TRUE(lines[2].ends_with(" median of 3, without messages")) << lines[2];
}

TEST(Rehearse, SearchesOnAllRanksAsARunDoes) {
  const TemporaryFolder folder;
  const std::string machine = folder / "m.machine.json";
  write_file(machine, R"({"format": "cleave-machine", "version": 2, "name": "by hand",
    "exchange": [{"ranks": 2, "latency_s": 1e-6, "gap_s_per_byte": 1e-10}]})");
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    json found;
    const Trace trace = trace_of(
        1,
        fmt::format("uts --tree prins:T1 --rehearse {} --ranks-per-host 8 --verify --network {}",
                    ranks, machine),
        &found);
    EXPECT_EQ(found.at("ranks"), ranks);
    EXPECT_EQ(found.at("rehearsed"), true);
    EXPECT_EQ(found.at("nodes"), 50045);
    EXPECT_EQ(found.at("leaves"), 38333);
    EXPECT_EQ(found.at("seconds").size(), 2U);
    EXPECT_GT(found.at("efficiency"), 0.0);
    EXPECT_LE(found.at("efficiency"), 1.0);
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

}  // namespace
}  // namespace cleave
