// SPDX-License-Identifier: Apache-2.0
// What the applications repeat, and the traces that they write, as a person runs them.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <cleave/file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace cleave::testing;
namespace {

/// How many keys each rank sorts in each repetition, the warm-up first.
std::vector<std::map<int, std::int64_t>> keys_sorted(int ranks, const Arguments& options) {
  const TemporaryFolder folder;
  const auto file = folder / "run.trace.jsonl";
  Arguments arguments = {"--size", "N=10K", "--placement", "replicated", "--trace", file.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  verified(ranks, "quicksort", arguments);
  const Trace trace = read_trace(file);
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
    const auto same = keys_sorted(ranks, {"--seed", "7"});
    ASSERT_EQ(same.size(), 3U);
    EXPECT_EQ(same[0], same[2]);
    EXPECT_EQ(same[1], same[2]);
    const auto fresh = keys_sorted(ranks, {"--seed", "7", "--inputs", "new"});
    ASSERT_EQ(fresh.size(), 3U);
    EXPECT_EQ(fresh[2], same[2]);
    EXPECT_NE(fresh[1], fresh[2]);
    EXPECT_NE(fresh[0], fresh[1]);
    const std::string seed_before = std::to_string((std::int64_t{1} << 32) + 7);
    EXPECT_EQ(fresh[1], keys_sorted(ranks, {"--seed", seed_before})[2]);
  }
}

TEST(Inputs, ThatAreNewGiveTheResultOfTheSeedAndAFilesStays) {
  const Arguments graph = {"--size", "N=1K,M=1K", "--seed", "3", "--inputs"};
  const auto with = [&](const Arguments& more) {
    Arguments all = graph;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto expected = verified(1, "components", with({"same"}))["components"];
  for (const int ranks : kRanks) {
    EXPECT_EQ(verified(ranks, "components", with({"new"}))["components"], expected);
    EXPECT_EQ(
        verified(ranks, "components", with({"new", "--placement", "replicated"}))["components"],
        expected);
  }
  const TemporaryFolder folder;
  write_file(folder / "graph.txt", "1 2\n2 3\n5 6\n");
  EXPECT_EQ(
      verified(2, "components", {"--graph", folder / "graph.txt", "--inputs", "new"})["components"],
      4);
}

TEST(Trace, HasWhatWasRun) {
  const TemporaryFolder folder;
  const auto file = folder / "run.trace.jsonl";
  const auto json =
      verified(3, "quicksort", {"--size", "N=10K", "--seed", "9", "--trace", file.string()});
  const Trace trace = read_trace(file);
  EXPECT_EQ(trace.run.app, "quicksort");
  EXPECT_EQ(trace.run.type, "hypercube");
  EXPECT_EQ(trace.run.placement, "distributed");
  EXPECT_EQ(trace.run.ranks, 3);
  EXPECT_EQ(trace.run.seed, 9U);
  EXPECT_EQ(trace.run.repetitions, 2);
  EXPECT_EQ(trace.run.warm_up, 1);
  EXPECT_EQ(trace.run.inputs, "same");
  EXPECT_EQ(trace.run.options.at("size"), "N=10K");
  EXPECT_EQ(trace.run.options.at("input"), "uniform");
  ASSERT_EQ(trace.repetitions.size(), 3U);
  EXPECT_TRUE(trace.repetitions[0].warm_up);
  EXPECT_EQ(trace.repetitions[1].sizes, (NamedSizes{{"N", 10240}}));
  EXPECT_DOUBLE_EQ(static_cast<double>(trace.repetitions[1].elapsed_ns) / 1e9,
                   json["seconds"][0].get<double>());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(std::count_if(trace.spans.begin(), trace.spans.end(),
                            [rank](const Trace::RankSpan& span) {
                              return span.rank == rank && span.span.block == Block::sequential;
                            }),
              3);
  }
}

TEST(Trace, OnStandardOutputIsAloneThere) {
  const TemporaryFolder folder;
  const Finished finished =
      run(2, "quicksort", {"--size", "N=10K", "--repetitions", "1", "--trace", "-"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  std::ofstream(folder / "run.trace.jsonl") << finished.out;
  EXPECT_EQ(read_trace(folder / "run.trace.jsonl").run.ranks, 2);
  expect_failure(2, "quicksort", {"--trace", "-", "--json"}, 2,
                 "--trace - and --json both write to standard output: give --trace a file, or "
                 "leave one out");
}

TEST(Trace, ThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const std::string kill = "kill:rank=0,level=0,block=sequential";  // would show that it has run
  expect_failure(2, "quicksort", {"--inject", kill, "--trace", path + "/none/x.trace.jsonl"}, 1,
                 path + "/none/x.trace.jsonl: cannot write: No such file or directory");
  expect_failure(2, "quicksort", {"--inject", kill, "--trace", path}, 1,
                 path + ": is a folder, expected a file to write the trace to");
}

/// A small file system without any room left.
class FullDisk {
 public:
  explicit FullDisk(const std::filesystem::path& folder) : folder_(folder) {
    mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (mounted_) {
      std::ofstream(folder / "filler") << std::string(1 << 20, 'x');
    }
  }
  ~FullDisk() {
    if (mounted_) {
      ::umount(folder_.c_str());
    }
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

TEST(Trace, OnAFullDiskIsOneLineAndNoHalfWrittenFile) {
  const TemporaryFolder folder;
  const FullDisk disk(folder.path());
  if (!disk.mounted()) {
    GTEST_SKIP() << "only root can mount the small file system that this test fills";
  }
  const Finished finished =
      run(2, "quicksort",
          {"--size", "N=1K", "--trace", folder / "run.trace.jsonl", "--repetitions", "99"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(lines_of(finished.err).size(), 1U) << finished.err;
  EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "run.trace.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.trace.jsonl.partial"));
}

/// What Chrome and Perfetto read: every span of a run once, within the run and after the span
/// before it. Its track is that of its rank, or of its worker in a search.
void expect_timeline(const std::string& app, const std::vector<std::string>& options,
                     const std::map<std::pair<int, int>, std::string>& tracks,
                     const std::set<std::string>& blocks) {
  const TemporaryFolder folder;
  const std::string trace = folder / "two.trace.jsonl";
  const std::string exported = folder / "two.json";
  std::vector<std::string> all = options;
  all.insert(all.end(), {"--trace", trace});
  once(2, app, all);
  const Finished finished = testing::run_program(
      {kPrograms + "/cleave", "export", trace, "--format", "perfetto", "--out", exported});
  EXPECT_EQ(finished.status, 0) << finished.err;

  const auto timeline = nlohmann::json::parse(read_file(exported), nullptr, false);
  ASSERT_TRUE(timeline.is_object());
  using Track = std::pair<int, int>;  // rank, thread
  std::map<int, std::string> ranks;
  std::map<Track, std::string> names;
  std::map<Track, std::vector<std::pair<double, double>>> spans;  // begin and end
  std::set<std::string> found;
  for (const auto& event : timeline.at("traceEvents")) {
    const int rank = event.at("pid").get<int>();
    if (event.at("name") == "process_name") {
      ranks[rank] = event.at("args").at("name").get<std::string>();
      continue;
    }
    const Track track(rank, event.at("tid").get<int>());
    if (event.at("ph") == "M") {
      EXPECT_EQ(event.at("name"), "thread_name");
      names[track] = event.at("args").at("name").get<std::string>();
      continue;
    }
    EXPECT_EQ(event.at("ph"), "X");
    const double begin = event.at("ts").get<double>();
    const double duration = event.at("dur").get<double>();
    EXPECT_GE(begin, 0);
    EXPECT_GE(duration, 0);
    spans[track].emplace_back(begin, begin + duration);
    found.insert(event.at("name").get<std::string>());
  }
  EXPECT_EQ(ranks, (std::map<int, std::string>{{0, "rank 0"}, {1, "rank 1"}}));
  EXPECT_EQ(names, tracks);
  EXPECT_TRUE(std::ranges::includes(found, blocks));

  const Trace whole = read_trace(trace);
  ASSERT_EQ(whole.repetitions.size(), 1U);
  constexpr double kMicrosecondsPerNanosecond = 1e-3;
  constexpr double kRounding = 2e-3;
  std::size_t exported_spans = 0;
  for (auto& [track, of_track] : spans) {
    exported_spans += of_track.size();
    std::ranges::sort(of_track);
    for (std::size_t i = 1; i < of_track.size(); ++i) {
      EXPECT_GE(of_track[i].first, of_track[i - 1].second - kRounding);
    }
    // A rank takes its first step when it is told to, which may be after the other one.
    EXPECT_LE(of_track.back().second - of_track.front().first,
              static_cast<double>(whole.repetitions[0].elapsed_ns) * kMicrosecondsPerNanosecond +
                  kRounding);
  }
  EXPECT_EQ(exported_spans, whole.spans.size());
}

TEST(Timeline, OfARealRunHasEverySpanOnItsRank) {
  expect_timeline("components", {"--size", "N=64K,M=512K"},
                  {{{0, 0}, "thread 0"}, {{1, 0}, "thread 0"}},
                  {"sequential", "exchange", "combine"});
}

TEST(Timeline, OfASearchHasATrackForEachWorker) {
  expect_timeline(
      "uts", {"--tree", "prins:T3", "--type", "work_stealing", "--threads", "2"},
      {{{0, 0}, "worker 0"}, {{0, 1}, "worker 1"}, {{1, 0}, "worker 0"}, {{1, 1}, "worker 1"}},
      {"sequential"});
}

}  // namespace
}  // namespace cleave
