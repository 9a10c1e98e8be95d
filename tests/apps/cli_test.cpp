// The applications as a person runs them, under mpiexec: what they print, and how they end.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "skeleton/trace/atomic_file.hpp"
#include "skeleton/trace/trace_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

using testing::Finished;
using testing::TemporaryFolder;
using Arguments = std::vector<std::string>;

const std::string kPrograms = CLEAVE_PROGRAMS;
const std::vector<int> kRanks = {1, 2, 3, 4, 5, 8};

Finished run(int ranks, const std::string& program, const Arguments& arguments) {
  std::vector<std::string> command = {CLEAVE_MPIEXEC, "-n", std::to_string(ranks),
                                      kPrograms + "/cleave-" + program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return testing::run_program(command);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Runs with --verify --json and returns the object printed, which must be all that is printed.
nlohmann::json verified(int ranks, const std::string& program, Arguments arguments) {
  arguments.insert(arguments.end(), {"--verify", "--json", "--repetitions", "2"});
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks: " + finished.err);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(lines_of(finished.out).size(), 1U);
  auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "not a JSON object: " << finished.out;
    return nlohmann::json::object();
  }
  EXPECT_EQ(json["app"], program);
  EXPECT_EQ(json["ranks"], ranks);
  EXPECT_EQ(json["threads"], 1);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["seconds"].size(), 2U);
  for (const auto& seconds : json["seconds"]) {
    EXPECT_GT(seconds.get<double>(), 0);
  }
  return json;
}

/// Expects a failure that is told in one line on standard error, and in nothing else.
void expect_failure(int ranks, const std::string& program, const Arguments& arguments, int status,
                    const std::string& line) {
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " " + ::testing::PrintToString(arguments));
  EXPECT_FALSE(finished.timed_out);
  EXPECT_EQ(finished.status, status);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(lines_of(finished.err), Arguments{"cleave-" + program + ": " + line});
}

/// The same figures on any number of ranks, by either placement, and on one rank alone.
void expect_same_on_any_ranks(const std::string& program, const Arguments& arguments,
                              const std::vector<std::string>& figures) {
  const auto with = [&arguments](const Arguments& more) {
    Arguments all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto expected = verified(1, program, with({"--type", "sequential"}));
  const auto compare = [&](const nlohmann::json& json) {
    for (const std::string& figure : figures) {
      EXPECT_EQ(json.value(figure, nlohmann::json()), expected.value(figure, nlohmann::json()))
          << figure;
    }
  };
  for (const int ranks : kRanks) {
    compare(verified(ranks, program, arguments));
  }
  compare(verified(3, program, with({"--type", "sequential"})));
  compare(verified(4, program, with({"--placement", "rooted"})));
  compare(verified(5, program, with({"--placement", "rooted"})));
}

TEST(Quicksort, SortsOnAnyRanks) {
  expect_same_on_any_ranks("quicksort", {"--size", "N=50K"}, {"sizes", "sorted"});
}

TEST(Quicksort, SortsEveryKindOfInput) {
  for (const char* input : {"sorted", "reverse", "equal", "few"}) {
    const auto json = verified(4, "quicksort", {"--size", "N=20K", "--input", input});
    EXPECT_EQ(json["sorted"], true);
    EXPECT_LT(json["imbalance"].get<double>(), 1.2) << input;
  }
}

TEST(Quicksort, SortsFewerKeysThanRanks) {
  for (const char* size : {"N=1", "N=2", "N=3"}) {
    verified(5, "quicksort", {"--size", size});
  }
}

TEST(Quicksort, SortsAFile) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> keys = {5, -3, 5, 0, 7};
  write_file(folder / "keys",
             {reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(std::int32_t)});
  const auto json = verified(3, "quicksort", {"--input", folder / "keys"});
  EXPECT_EQ(json["sizes"], (nlohmann::json{{"N", 5}}));
}

TEST(Components, AreTheSameOnAnyRanks) {
  expect_same_on_any_ranks("components", {"--size", "N=10K,M=12K", "--seed", "3"},
                           {"sizes", "components"});
}

TEST(Components, OfAFileAreFound) {
  const TemporaryFolder folder;
  write_file(folder / "graph.txt", "# an archive's comment\n1 2\n2\t3\n5 6 0.5\n");
  // Vertices 0 and 4 are alone.
  EXPECT_EQ(verified(3, "components", {"--graph", folder / "graph.txt"})["components"], 4);
  EXPECT_EQ(verified(2, "components",
                     {"--graph", folder / "graph.txt", "--size", "N=10", "--placement",
                      "rooted"})["components"],
            7);
}

TEST(Components, AreTheSameByEitherPlacementCombineAndEncoding) {
  const Arguments graph = {"--graph", "rmat", "--size", "N=4K,M=20K"};
  const auto expected = verified(1, "components", graph)["components"];
  const std::vector<Arguments> ways = {{"--placement", "replicated"},
                                       {"--combine", "naive"},
                                       {"--encoding", "changed"},
                                       {"--encoding", "giant"}};
  for (const Arguments& way : ways) {
    Arguments all = graph;
    all.insert(all.end(), way.begin(), way.end());
    EXPECT_EQ(verified(5, "components", all)["components"], expected) << way.back();
  }
}

TEST(Components, AreWrittenOrNothingIs) {
  const TemporaryFolder folder;
  write_file(folder / "good.mtx",
             "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n4 2\n");
  write_file(folder / "lies.mtx",
             "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n4 2\n");
  verified(3, "components", {"--graph", folder / "good.mtx", "--output", folder / "good.labels"});
  EXPECT_EQ(read_file(folder / "good.labels"), "0\n0\n2\n0\n");
  const std::string lies = folder / "lies.mtx";
  expect_failure(3, "components", {"--graph", lies, "--output", folder / "lies.labels"}, 1,
                 lies + ": says that it has 3 entries, but has 2");
  EXPECT_FALSE(std::filesystem::exists(folder / "lies.labels"));
}

TEST(Uts, CountsTheSmallTreesOnAnyRanks) {
  expect_same_on_any_ranks("uts", {"--tree", "prins:T1"}, {"nodes", "leaves", "max_depth"});
  EXPECT_EQ(verified(5, "uts", {"--tree", "prins:T2"})["nodes"], 53521);
}

TEST(Uts, CountsT3) {
  const auto json = verified(3, "uts", {"--tree", "prins:T3"});
  EXPECT_EQ(json["nodes"], 5529089);
  EXPECT_EQ(json["leaves"], 4838352);
  EXPECT_EQ(json["max_depth"], 1291);
  EXPECT_GE(json["imbalance"].get<double>(), 1);
}

TEST(Help, IsPrintedOnceAndEndsWell) {
  for (const char* option : {"--help", "--version"}) {
    for (const char* program : {"quicksort", "components", "uts"}) {
      const Finished finished = run(2, program, {option});
      EXPECT_EQ(finished.status, 0);
      EXPECT_EQ(finished.err, "");
      const std::string name = std::string("cleave-") + program;
      EXPECT_EQ(finished.out.find(name), finished.out.rfind(name)) << finished.out;
      EXPECT_EQ(finished.out.find("--inject"), std::string::npos);
    }
  }
}

TEST(BadCommandLine, IsOneLineAndStatus2) {
  const std::string no_size = "' is not a size: NAME=COUNT, for example N=4M";
  const std::string no_count = "' is not a count: digits, then K, M or G (1024-based)";
  expect_failure(2, "quicksort", {"--size", "12x"}, 2, "--size: '12x" + no_size);
  expect_failure(1, "quicksort", {"--size", "N=0"}, 2, "--size: size 'N=0' must be at least 1");
  expect_failure(3, "quicksort", {"--size", "N=-5"}, 2, "--size: '-5" + no_count);
  expect_failure(2, "quicksort", {"--size", "N=1e30"}, 2, "--size: '1e30" + no_count);
  expect_failure(2, "quicksort", {"--size", "N=8G"}, 2,
                 "--size: 'N=8G' is too large: at most N=4G");
  expect_failure(2, "quicksort", {"--size", "M=8"}, 2,
                 "--size: 'M' is not a size of this application: N");
  expect_failure(2, "quicksort", {"--size", "N=8", "--input", "file"}, 2,
                 "--size: the keys are those of the file file, leave it out");
  expect_failure(2, "components", {"--size", "N=8"}, 2,
                 "--size: a random graph needs both, for example N=1M,M=2M");
  expect_failure(2, "components", {"--size", "N=4G,M=1"}, 2,
                 "--size: 'N=4G,M=1' is too large: at most N=4294967295");
  expect_failure(2, "components", {"--size", "M=8", "--graph", "file"}, 2,
                 "--size: the edges are those of the file file, leave out M");
  expect_failure(2, "uts", {"--tree", "T9"}, 2,
                 "--tree: 'T9' is not a tree: prins:T1, prins:T2, prins:T3 or "
                 "prins:r=0x101,n=3200,q=0.234375,m=4");
  const Finished unknown = run(2, "uts", {"--unknown"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(lines_of(unknown.err).size(), 1U) << unknown.err;
}

TEST(BadInputFile, IsOneLineAndStatus1) {
  const TemporaryFolder folder;
  write_file(folder / "empty", "");
  write_file(folder / "cut", "12345");
  write_file(folder / "list", "0 1\n1 -2\n");
  const std::string path = folder.path().string();
  expect_failure(2, "quicksort", {"--input", path + "/none"}, 1, path + "/none: cannot read");
  expect_failure(2, "quicksort", {"--input", path + "/empty"}, 1,
                 path + "/empty: empty, expected 32-bit integers");
  expect_failure(2, "quicksort", {"--input", path + "/cut"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of 32-bit integers");
  expect_failure(2, "quicksort", {"--input", path + "/cut", "--placement", "rooted"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of 32-bit integers");
  expect_failure(2, "components", {"--graph", path + "/list"}, 1,
                 path + "/list: line 2: '-2' is not a vertex number");
  expect_failure(2, "components", {"--graph", path + "/empty"}, 1, path + "/empty: holds no edge");
}

TEST(Failure, OfAFunctorOnAnyRankIsOneLineThatNamesRankLevelAndBlock) {
  struct Place {
    int level;
    const char* block;
  };
  for (const Place place :
       {Place{0, "divide"}, {1, "divide"}, {2, "sequential"}, {1, "combine"}, {0, "combine"}}) {
    for (int rank = 0; rank < 4; ++rank) {
      std::ostringstream where;
      where << "rank=" << rank << ",level=" << place.level << ",block=" << place.block;
      std::ostringstream line;
      line << "rank " << rank << ", level " << place.level << ", " << place.block
           << ": thrown by --inject";
      expect_failure(4, "quicksort", {"--size", "N=1K", "--inject", "throw:" + where.str()}, 1,
                     line.str());
    }
  }
}

TEST(Failure, OfOneRankAloneIsNamedAndOfTheSequentialRunToo) {
  expect_failure(1, "uts", {"--type", "sequential", "--tree", "prins:T1", "--max-nodes", "1000"}, 1,
                 "the tree has more than 1000 nodes (--max-nodes)");
}

TEST(Failure, ByDeathOfOneRankEndsAll) {
  const Finished finished =
      run(4, "quicksort", {"--size", "N=1K", "--inject", "kill:rank=2,level=1,block=divide"});
  EXPECT_FALSE(finished.timed_out);
  EXPECT_NE(finished.status, 0);
}

TEST(Delay, OfOneRankDelaysTheRun) {
  const auto json =
      verified(2, "components",
               {"--size", "N=1K,M=1K", "--inject", "delay:rank=1,level=0,block=divide,ms=30"});
  for (const auto& seconds : json["seconds"]) {
    EXPECT_GE(seconds.get<double>(), 0.03);
  }
}

TEST(EndlessTree, IsWarnedOfAndStopped) {
  const Finished finished =
      run(2, "uts", {"--tree", "prins:n=10,q=0.5,m=4", "--max-nodes", "100K"});
  EXPECT_EQ(finished.status, 1);
  const auto lines = lines_of(finished.err);
  ASSERT_EQ(lines.size(), 2U) << finished.err;
  EXPECT_NE(lines[0].find("warning: q * m is 1 or more"), std::string::npos);
  EXPECT_NE(lines[1].find("level 1, sequential: the tree has more than 102400 nodes"),
            std::string::npos);
}

TEST(Launch, ByAnotherMpisLauncherIsWarnedOf) {
  const Finished finished = testing::run_program(
      {kPrograms + "/cleave-quicksort", "--size", "N=1K", "--json"}, {"OMPI_COMM_WORLD_SIZE=4"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.err.find("OMPI_COMM_WORLD_SIZE is 4"), std::string::npos) << finished.err;
}

TEST(Trace, HasWhatWasRun) {
  const TemporaryFolder folder;
  const auto file = folder / "run.trace.jsonl";
  const auto json =
      verified(3, "quicksort", {"--size", "N=10K", "--seed", "9", "--trace", file.string()});
  const Trace trace = read_trace(file);
  EXPECT_EQ(trace.run.app, "quicksort");
  EXPECT_EQ(trace.run.type, "hypercube");
  EXPECT_EQ(trace.run.placement, "replicated");
  EXPECT_EQ(trace.run.ranks, 3);
  EXPECT_EQ(trace.run.seed, 9U);
  EXPECT_EQ(trace.run.repetitions, 2);
  EXPECT_EQ(trace.run.warm_up, 1);
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

TEST(Trace, ThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const std::string kill = "kill:rank=0,level=0,block=divide";  // would show that it has run
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

}  // namespace
}  // namespace cleave
