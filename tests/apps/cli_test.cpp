// SPDX-License-Identifier: Apache-2.0
// The applications as a person runs them, under mpiexec: what they print, and how they end.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/detail/trace/trace_file.hpp>
#include <cleave/file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
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

/// Runs once with --json and returns the object printed.
nlohmann::json once(int ranks, const std::string& program, Arguments arguments) {
  arguments.insert(arguments.end(), {"--json", "--repetitions", "1", "--warm-up", "0"});
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks: " + finished.err);
  EXPECT_EQ(finished.status, 0);
  auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "not a JSON object: " << finished.out;
    return nlohmann::json::object();
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
    const auto json = verified(4, "quicksort",
                               {"--size", "N=20K", "--input", input, "--placement", "replicated"});
    EXPECT_EQ(json["sorted"], true);
    EXPECT_LT(json["imbalance"].get<double>(), 1.2) << input;
  }
  for (const char* input : {"sorted", "reverse", "equal", "few", "zipf", "staggered"}) {
    const auto json = verified(4, "quicksort", {"--size", "N=100K", "--input", input});
    EXPECT_EQ(json["sorted"], true);
    EXPECT_LE(json["imbalance"].get<double>(), 1.1) << input;
  }
}

TEST(Quicksort, SortsEveryKindOfKeyInEitherOrder) {
  for (const char* key : {"int32", "int64", "uint64", "float", "double", "record"}) {
    const auto json =
        verified(3, "quicksort",
                 {"--size", "N=20K", "--input", "zipf", "--key", key, "--order", "descending"});
    EXPECT_EQ(json["sorted"], true) << key;
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

TEST(Quicksort, WritesTheSortedKeysToAFile) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 1000; ++i) {
    keys.push_back(i * 7919 % 1009 - 500);
  }
  const std::string_view bytes(reinterpret_cast<const char*>(keys.data()),
                               keys.size() * sizeof(std::int64_t));
  write_file(folder / "keys", bytes);
  const Finished finished =
      run(3, "quicksort",
          {"--input", folder / "keys", "--key", "int64", "--output", folder / "sorted"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(read_file(folder / "sorted"), bytes);
  EXPECT_FALSE(std::filesystem::exists(folder / "sorted.partial"));
}

TEST(Quicksort, RefusesMoreKeysThanMemoryHoldsAndLeavesNoOutput) {
  const TemporaryFolder folder;
  std::ofstream(folder / "huge").put('x');
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{1} << 43);  // without any blocks
  const Finished finished =
      run(2, "quicksort", {"--input", folder / "huge", "--output", folder / "sorted"});
  EXPECT_EQ(finished.status, 1);
  const auto lines = lines_of(finished.err);
  ASSERT_EQ(lines.size(), 1U) << finished.err;
  EXPECT_NE(lines[0].find("not enough memory: 2 ranks of 6144.0 GiB each"), std::string::npos)
      << lines[0];
  EXPECT_FALSE(std::filesystem::exists(folder / "sorted"));
  EXPECT_FALSE(std::filesystem::exists(folder / "sorted.partial"));
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

/// Expects one line on standard error, and neither the output nor a part of it.
void expect_no_output(int ranks, const Arguments& graph, const std::string& line) {
  const TemporaryFolder folder;
  Arguments arguments = graph;
  arguments.insert(arguments.end(), {"--output", folder / "labels"});
  expect_failure(ranks, "components", arguments, 1, line);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Components, WithAVertexOutOfRangeAreRefusedByLineWhicheverRankReadsIt) {
  const TemporaryFolder folder;
  std::string edges;
  for (int i = 0; i < 999; ++i) {
    edges += fmt::format("{} {}\n", i, i + 1);
  }
  const std::string path = folder / "graph.txt";
  write_file(path, edges + "7 1000\n");
  expect_no_output(3, {"--graph", path, "--size", "N=1000"},
                   path + ": line 1000: vertex number 1000 is out of range: from 0 to 999");
  write_file(path, "1000 7\n" + edges);
  expect_no_output(3, {"--graph", path, "--size", "N=1000"},
                   path + ": line 1: vertex number 1000 is out of range: from 0 to 999");
}

TEST(Components, BeyondMemoryAreRefusedBeforeAnythingIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder / "huge.bin";
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43);  // without any blocks
  for (const Arguments& graph : {Arguments{"--graph", path}, {"--size", "N=1M,M=1024G"}}) {
    const TemporaryFolder output;
    Arguments arguments = graph;
    arguments.insert(arguments.end(), {"--output", output / "labels"});
    const Finished finished = run(2, "components", arguments);
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(lines_of(finished.err).size(), 1U) << finished.err;
    EXPECT_NE(finished.err.find("too"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("for this machine: a rank's share is 549755813888"),
              std::string::npos)
        << finished.err;
    EXPECT_TRUE(std::filesystem::is_empty(output.path()));
  }
}

TEST(Uts, CountsTheSmallTreesOnAnyRanks) {
  expect_same_on_any_ranks("uts", {"--tree", "prins:T1"}, {"nodes", "leaves", "max_depth"});
  for (const int ranks : kRanks) {
    const auto json = verified(ranks, "uts", {"--tree", "prins:T1", "--type", "hypercube"});
    EXPECT_EQ(json["nodes"], 50045);
  }
  EXPECT_EQ(verified(5, "uts", {"--tree", "prins:T2"})["nodes"], 53521);
}

/// Runs once, and checks the counts against the published ones.
void expect_uts_counts(int ranks, const std::string& tree, std::int64_t nodes, std::int64_t leaves,
                       std::int64_t max_depth) {
  const auto json = once(ranks, "uts", {"--tree", tree});
  EXPECT_EQ(json["nodes"], nodes) << tree;
  EXPECT_EQ(json["leaves"], leaves) << tree;
  EXPECT_EQ(json["max_depth"], max_depth) << tree;
}

TEST(Uts, CountsTreesOfEveryTypeOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_uts_counts(ranks, "T1", 4'130'071, 3'305'118, 10);
    expect_uts_counts(ranks, "T3", 4'112'897, 3'599'034, 1572);
  }
  for (const int ranks : {2, 5}) {
    expect_uts_counts(ranks, "T2", 4'117'769, 2'342'762, 81);
    expect_uts_counts(ranks, "T4", 4'132'453, 3'108'986, 134);
    expect_uts_counts(ranks, "T5", 4'147'582, 2'181'318, 20);
  }
}

TEST(LongUts, CountsTheLargeTreesOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_uts_counts(ranks, "T1L", 102'181'082, 81'746'377, 13);
    expect_uts_counts(ranks, "T2L", 96'793'510, 53'791'152, 67);
    expect_uts_counts(ranks, "T3L", 111'345'631, 89'076'904, 17844);
  }
}

TEST(Uts, TakesTheOptionLettersOfTheBenchmark) {
  const auto json =
      verified(2, "uts", {"-t", "2",   "-a", "0",   "-d", "8", "-b", "4", "-r",       "1",
                          "-f", "0.4", "-q", "0.2", "-m", "4", "-g", "3", "--kernel", "openssl"});
  EXPECT_EQ(json["tree"], "-t 2 -a 0 -d 8 -b 4 -r 1 -f 0.4 -q 0.2 -m 4");
  EXPECT_EQ(json["kernel"], "openssl");
  EXPECT_EQ(once(1, "uts", {"--tree", "T1", "-d", "8"})["tree"], "-t 1 -a 3 -d 8 -b 4 -r 19");
}

TEST(Uts, AtADepthOfAMillionTouchesNoCallStack) {
  const auto json = once(2, "uts", {"-t", "3", "-b", "1", "-d", "1000000"});
  EXPECT_EQ(json["nodes"], 1'000'001);
  EXPECT_EQ(json["max_depth"], 1'000'000);
}

TEST(Flowshop, ExploresTheSameNodesOnAnyRanks) {
  for (const int ranks : kRanks) {
    const auto forward =
        once(ranks, "flowshop",
             {"--instance", "ta014", "--branching", "forward", "--incumbent", "optimal"});
    EXPECT_EQ(forward["explored"], 2'573'652);
    EXPECT_EQ(forward["leaves"], 2'648);
    EXPECT_EQ(forward["makespan"], 1377);
    EXPECT_TRUE(forward["permutation"].is_null());
    const auto min_branch = once(ranks, "flowshop", {"--instance", "ta020", "--incumbent", "1591"});
    EXPECT_EQ(min_branch["explored"], 268'814);
    EXPECT_EQ(min_branch["leaves"], 2);
  }
  EXPECT_EQ(
      once(2, "flowshop",
           {"--bound", "lb2", "--branching", "forward", "--incumbent", "optimal"})["explored"],
      144'639);
  EXPECT_EQ(once(3, "flowshop", {"--type", "sequential", "--incumbent", "optimal"})["explored"],
            19'300);
}

TEST(LongFlowshop, ExploresAsManyNodesAsOtherProgramsOnAnyRanks) {
  for (const int ranks : kRanks) {
    for (const auto& [instance, explored, leaves] :
         {std::tuple{"ta030", 2'415'778, 32}, {"ta042", 3'526'004, 0}, {"ta022", 45'955'963, 0}}) {
      const auto json = once(ranks, "flowshop", {"--instance", instance, "--incumbent", "optimal"});
      EXPECT_EQ(json["explored"], explored) << instance;
      if (leaves > 0) {
        EXPECT_EQ(json["leaves"], leaves) << instance;
      }
    }
  }
}

/// Begins with a heuristic and ends with the optimum, and with a permutation of it.
void expect_optimum(int ranks, const std::string& instance, int optimum) {
  const auto json = once(ranks, "flowshop", {"--instance", instance});
  EXPECT_EQ(json["makespan"], optimum) << instance;
  EXPECT_EQ(json["best_known"], optimum) << instance;
  ASSERT_TRUE(json["permutation"].is_array()) << instance;
  EXPECT_EQ(std::set<int>(json["permutation"].begin(), json["permutation"].end()).size(), 20U);
}

TEST(Flowshop, FindsTheOptimumFromAHeuristicOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_optimum(ranks, "ta001", 1278);
    expect_optimum(ranks, "ta018", 1538);
  }
  for (const char* bound : {"lb1_d", "lb2", "mix"}) {
    EXPECT_EQ(verified(2, "flowshop", {"--bound", bound, "--branching", "maxSum"})["makespan"],
              1377);
  }
}

TEST(LongFlowshop, FindsTheKnownOptimumOfTwentyJobsFromAHeuristic) {
  constexpr std::array kOptima = {1278, 1359, 1081, 1293, 1235, 1195, 1234, 1206, 1230, 1108,
                                  1582, 1659, 1496, 1377, 1419, 1397, 1484, 1538, 1593, 1591};
  for (std::size_t i = 0; i < kOptima.size(); ++i) {
    expect_optimum(2, fmt::format("ta{:03}", i + 1), kOptima[i]);
  }
}

TEST(Flowshop, ReadsInstancesAndPermutationsFromFiles) {
  const TemporaryFolder folder;
  write_file(folder / "two.txt", "3 2 0 9 9\n1 2 3\n4 5 6\n\n2 1 0 0 0\n3 4\n");
  write_file(folder / "worst", "[3, 2, 1]");
  const std::string path = folder.path().string();
  const auto json =
      verified(2, "flowshop", {"--instance", path + "/two.txt:1", "--incumbent", path + "/worst"});
  EXPECT_EQ(json["instance"], "two-1");
  EXPECT_EQ(json["makespan"], 16);
  EXPECT_EQ(json["permutation"][0], 0);
  EXPECT_EQ(verified(1, "flowshop", {"--instance", path + "/two.txt:2"})["makespan"], 7);
}

TEST(Flowshop, GivenAnIncumbentThatNothingBeatsPrintsNoPermutation) {
  const auto json = verified(2, "flowshop", {"--incumbent", "1377"});
  EXPECT_EQ(json["makespan"], 1377);
  EXPECT_TRUE(json["permutation"].is_null());
}

TEST(Uts, CountsT3) {
  const auto json = verified(3, "uts", {"--tree", "prins:T3", "--type", "hypercube"});
  EXPECT_EQ(json["nodes"], 5529089);
  EXPECT_EQ(json["leaves"], 4838352);
  EXPECT_EQ(json["max_depth"], 1291);
  EXPECT_GE(json["imbalance"].get<double>(), 1);
}

TEST(Help, IsPrintedOnceAndEndsWell) {
  for (const char* option : {"--help", "--version"}) {
    for (const char* program : {"quicksort", "components", "uts", "flowshop"}) {
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
  expect_failure(2, "quicksort", {"--key", "int16"}, 2,
                 "--key: 'int16' is not one of int32, int64, uint64, float, double, record");
  expect_failure(2, "quicksort", {"--key", "float", "--placement", "replicated"}, 2,
                 "--key: placement replicated sorts int32 keys in ascending order and writes none; "
                 "take distributed");
  expect_failure(2, "uts", {"--placement", "distributed", "--tree", "prins:T1"}, 2,
                 "--placement: distributed is not for cleave-uts: its problem has no parts");
  expect_failure(2, "components", {"--size", "N=8"}, 2,
                 "--size: a random graph needs both, for example N=1M,M=2M");
  expect_failure(2, "components", {"--size", "N=4G,M=1"}, 2,
                 "--size: 'N=4G,M=1' is too large: at most N=4294967295");
  expect_failure(2, "components", {"--size", "M=8", "--graph", "file"}, 2,
                 "--size: the edges are those of the file file, leave out M");
  expect_failure(
      2, "uts", {"--tree", "T9"}, 2,
      "--tree: 'T9' is not a tree: T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL, T2XL, T1XXL, "
      "T3XXL, T2XXL, T1WL, prins:T1, prins:T2, prins:T3 or "
      "prins:r=0x101,n=3200,q=0.234375,m=4");
  expect_failure(2, "uts", {"-t", "4"}, 2,
                 "-t: '4' is not one of 0 (BIN), 1 (GEO), 2 (HYBRID), 3 (BALANCED)");
  expect_failure(2, "uts", {"--tree", "prins:T1", "-r", "3"}, 2,
                 "-r describes a tree of UTS 1.1, it does not go with --tree prins:...");
  const std::vector<std::pair<std::string, std::string>> letters_of_other_programs = {
      {"-v", "all counts are always printed, --json prints them for programs"},
      {"-c", "a steal takes half of what its victim shares, whatever that is"},
      {"-i", "a worker looks for messages by the clock, less often while none come"},
      {"-x", "--trace FILE writes what every worker did"}};
  for (const auto& [letter, replacement] : letters_of_other_programs) {
    expect_failure(2, "uts", {"-t", "1", letter, "20"}, 2,
                   letter + ": not an option here: " + replacement);
  }
  expect_failure(2, "uts", {"--kernel", "md5"}, 2,
                 "--kernel: 'md5' is not one of auto, openssl, sha");
  expect_failure(2, "flowshop", {"--instance", "ta121"}, 2,
                 "--instance: 'ta121' is not one of Taillard's instances, ta001 to ta120, nor a "
                 "file");
  expect_failure(2, "flowshop", {"--instance", "ta101"}, 2,
                 "ta101 has 200 jobs on 20 machines, branch-and-bound takes 1 to 100 jobs on 1 to "
                 "20 machines");
  expect_failure(2, "flowshop", {"--type", "hypercube"}, 2,
                 "--type: 'hypercube' is not for this application: sequential, work_stealing");
  expect_failure(2, "flowshop", {"--type", "sequential", "--max-nodes", "9", "--incumbent", "9999"},
                 1, "the tree has more than 9 nodes");
  expect_failure(2, "flowshop", {"--bound", "lb3"}, 2,
                 "--bound: 'lb3' is not one of lb1, lb1_d, lb2, mix");
  expect_failure(2, "flowshop", {"--branching", "back"}, 2,
                 "--branching: 'back' is not one of forward, backward, alternate, minBranch, "
                 "minMin, maxSum");
  expect_failure(2, "flowshop", {"--incumbent", "good"}, 2,
                 "--incumbent: 'good' is not optimal, heuristic, a makespan or a file");
  expect_failure(2, "flowshop", {"--incumbent", "0"}, 2,
                 "--incumbent: '0' is not a makespan, which is at least 1");
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
                 path + "/empty: empty, expected keys of 4 bytes");
  expect_failure(3, "quicksort", {"--input", path + "/cut", "--key", "record"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 16 bytes");
  expect_failure(2, "quicksort", {"--input", path + "/cut"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 4 bytes");
  expect_failure(2, "quicksort", {"--input", path + "/cut", "--placement", "rooted"}, 1,
                 path + "/cut: its 5 bytes are not a whole number of keys of 4 bytes");
  expect_failure(2, "components", {"--graph", path + "/list"}, 1,
                 path + "/list: line 2: '-2' is not a vertex number");
  expect_failure(2, "components", {"--graph", path + "/empty"}, 1, path + "/empty: holds no edge");

  write_file(folder / "short", "3 2 0 9 9\n1 2 3\n4 5\n");
  write_file(folder / "several", "1 1 0 0 0\n1\n1 1 0 0 0\n2\n");
  write_file(folder / "jobs", "0 1 1");
  expect_failure(2, "flowshop", {"--instance", path + "/short"}, 1,
                 path +
                     "/short: line 4: the file ends before the time of job 3 of 3 on machine 2 of "
                     "2");
  expect_failure(
      2, "flowshop", {"--instance", path + "/several"}, 2,
      "--instance: " + path + "/several holds 2 instances: " + path + "/several:1 is the first");
  expect_failure(2, "flowshop", {"--instance", path + "/several:3"}, 2,
                 "--instance: '3' is not one of the instances of " + path + "/several, 1 to 2");
  expect_failure(2, "flowshop", {"--instance", path + "/several:1", "--incumbent", "optimal"}, 2,
                 "--incumbent: no makespan of several-1 is known");
  expect_failure(2, "flowshop", {"--incumbent", path + "/jobs"}, 1,
                 path + "/jobs: is not a permutation of the 20 jobs of ta014");
  expect_failure(2, "flowshop", {"--incumbent", path}, 1, path + ": cannot be read");
}

TEST(Failure, OfAFunctorOnAnyRankIsOneLineThatNamesRankLevelAndBlock) {
  struct Place {
    int level;
    const char* block;
    const char* placement;
    int ranks_that_reach_it = 4;
  };
  for (const Place place : {Place{0, "divide", "replicated"},
                            {1, "divide", "replicated"},
                            {2, "sequential", "replicated"},
                            {1, "combine", "replicated"},
                            {0, "combine", "replicated"},
                            {0, "sample", "distributed"},
                            {0, "pivot", "distributed", 1},
                            {1, "partition", "distributed"},
                            {2, "sequential", "distributed"}}) {
    for (int rank = 0; rank < place.ranks_that_reach_it; ++rank) {
      std::ostringstream where;
      where << "rank=" << rank << ",level=" << place.level << ",block=" << place.block;
      std::ostringstream line;
      line << "rank " << rank << ", level " << place.level << ", " << place.block
           << ": thrown by --inject";
      expect_failure(
          4, "quicksort",
          {"--size", "N=1K", "--placement", place.placement, "--inject", "throw:" + where.str()}, 1,
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
      run(4, "quicksort", {"--size", "N=1K", "--inject", "kill:rank=2,level=1,block=partition"});
  EXPECT_FALSE(finished.timed_out);
  EXPECT_NE(finished.status, 0);
}

TEST(Delay, OfOneRankDelaysTheRun) {
  const auto json = verified(2, "components",
                             {"--size", "N=1K,M=1K", "--placement", "replicated", "--inject",
                              "delay:rank=1,level=0,block=divide,ms=30"});
  for (const auto& seconds : json["seconds"]) {
    EXPECT_GE(seconds.get<double>(), 0.03);
  }
}

TEST(EndlessTree, IsStoppedByEitherLimit) {
  const std::string endless = "prins:n=10,q=0.5,m=4";
  expect_failure(2, "uts", {"--tree", endless, "--max-nodes", "100K"}, 1,
                 "the tree has more than 102400 nodes");
  expect_failure(3, "uts", {"--tree", endless, "--max-memory", "1M"}, 1,
                 "the search needs more than 1048576 bytes of memory on a rank");
  expect_failure(1, "uts", {"--type", "sequential", "--tree", endless, "--max-memory", "1M"}, 1,
                 "the search needs more than 1048576 bytes of memory (--max-memory)");
  expect_failure(2, "uts", {"--type", "hypercube", "--tree", endless, "--max-nodes", "100K"}, 1,
                 "rank 0, level 1, sequential: the tree has more than 102400 nodes (--max-nodes)");
}

TEST(EndlessTree, WithoutALimitIsWarnedOf) {
  const Finished finished = run(2, "uts",
                                {"-t", "0", "-b", "1", "-q", "1", "-m", "1", "-r", "1", "--inject",
                                 "throw:rank=0,level=0,block=sequential"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("warning: q * m is 1 or more"), std::string::npos) << finished.err;
}

TEST(Launch, ByAnotherMpisLauncherIsWarnedOf) {
  const Finished finished = testing::run_program(
      {kPrograms + "/cleave-quicksort", "--size", "N=1K", "--json"}, {"OMPI_COMM_WORLD_SIZE=4"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.err.find("OMPI_COMM_WORLD_SIZE is 4"), std::string::npos) << finished.err;
}

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
  for (const int ranks : {2, 3, 4, 5, 8}) {
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

TEST(Trace, SaysHowFastTheCoresWereUnlessRanksTakeTurns) {
  const TemporaryFolder folder;
  const auto file = folder / "run.trace.jsonl";
  for (const int ranks : {1, 2, 64}) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, {"--dilate", "2"}}) {
      std::vector<std::string> all = {"--size", "N=10K", "--trace", file.string()};
      all.insert(all.end(), options.begin(), options.end());
      verified(ranks, "quicksort", all);
      const Trace trace = read_trace(file);
      const bool is_told = !trace.run.oversubscribed && options.empty();
      for (const Trace::Run& run : trace.repetitions) {
        EXPECT_EQ(run.probe_ns > 0, is_told) << ranks << " ranks, repetition " << run.index;
      }
    }
  }
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

/// What Chrome and Perfetto read: every span of a real run once, on the track of its rank, within
/// the run and after the span before it.
TEST(Timeline, OfARealRunHasEverySpanOnItsRank) {
  const TemporaryFolder folder;
  const std::string trace = folder / "two.trace.jsonl";
  const std::string exported = folder / "two.json";
  once(2, "components", {"--size", "N=64K,M=512K", "--trace", trace});
  const Finished finished = testing::run_program(
      {kPrograms + "/cleave", "export", trace, "--format", "perfetto", "--out", exported});
  EXPECT_EQ(finished.status, 0) << finished.err;

  const auto timeline = nlohmann::json::parse(read_file(exported), nullptr, false);
  ASSERT_TRUE(timeline.is_object());
  std::map<int, std::string> names;
  std::map<int, std::vector<std::pair<double, double>>> spans;  // begin and end of each rank's
  std::set<std::string> blocks;
  for (const auto& event : timeline.at("traceEvents")) {
    const int rank = event.at("pid").get<int>();
    if (event.at("ph") == "M") {
      EXPECT_EQ(event.at("name"), "process_name");
      names[rank] = event.at("args").at("name").get<std::string>();
      continue;
    }
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_EQ(event.at("tid"), 0);
    const double begin = event.at("ts").get<double>();
    const double duration = event.at("dur").get<double>();
    EXPECT_GE(begin, 0);
    EXPECT_GE(duration, 0);
    spans[rank].emplace_back(begin, begin + duration);
    blocks.insert(event.at("name").get<std::string>());
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{0, "rank 0"}, {1, "rank 1"}}));
  EXPECT_TRUE(blocks.contains("sequential") && blocks.contains("exchange") &&
              blocks.contains("combine"));

  const Trace whole = read_trace(trace);
  ASSERT_EQ(whole.repetitions.size(), 1U);
  constexpr double kMicrosecondsPerNanosecond = 1e-3;
  constexpr double kRounding = 2e-3;
  for (auto& [rank, of_rank] : spans) {
    EXPECT_EQ(std::ssize(of_rank),
              std::count_if(whole.spans.begin(), whole.spans.end(),
                            [r = rank](const auto& span) { return span.rank == r; }));
    std::sort(of_rank.begin(), of_rank.end());
    for (std::size_t i = 1; i < of_rank.size(); ++i) {
      EXPECT_GE(of_rank[i].first, of_rank[i - 1].second - kRounding);
    }
    // A rank takes its first step when it is told to, which may be after the other one.
    EXPECT_LE(of_rank.back().second - of_rank.front().first,
              static_cast<double>(whole.repetitions[0].elapsed_ns) * kMicrosecondsPerNanosecond +
                  kRounding);
  }
}

}  // namespace
}  // namespace cleave
