// SPDX-License-Identifier: Apache-2.0
// What the applications compute, as a person runs them under mpiexec.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::testing;
namespace {

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

TEST(Quicksort, FollowsALinkAndWritesInPlaceToADevice) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("target", folder / "link");
  const Finished linked =
      run(2, "quicksort", {"--size", "N=1K", "--output", folder / "link", "--verify"});
  EXPECT_EQ(linked.status, 0) << linked.err;
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(std::filesystem::file_size(folder / "target"), 4096U);
  EXPECT_EQ(run(2, "quicksort", {"--size", "N=1K", "--output", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
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
  write_file(folder / "graph.txt", "# an archive's comment\n1 2\n2\t3\n5 6\n");
  // Vertices 0 and 4 are alone.
  EXPECT_EQ(verified(3, "components", {"--graph", folder / "graph.txt"})["components"], 4);
  EXPECT_EQ(verified(2, "components",
                     {"--graph", folder / "graph.txt", "--size", "N=10", "--placement",
                      "rooted"})["components"],
            7);
}

/// The same by a search whose result every rank gets: it is written once.
TEST(Quicksort, OfReplicatedWorkStealingIsWrittenOnce) {
  const TemporaryFolder folder;
  const Arguments sort = {"--size", "N=3000", "--type", "work_stealing", "--output"};
  for (const char* placement : {"replicated", "rooted"}) {
    Arguments all = sort;
    all.insert(all.end(), {folder / placement, "--placement", placement, "--verify"});
    EXPECT_EQ(once(3, "quicksort", all)["verified"], true) << placement;
  }
  EXPECT_EQ(read_file(folder / "replicated"), read_file(folder / "rooted"));
  EXPECT_EQ(read_file(folder / "rooted").size(), 12000U);
}

TEST(Flowshop, OfOneRankAloneTakesEitherPlacement) {
  for (const char* placement : {"replicated", "rooted"}) {
    const auto json = verified(1, "flowshop",
                               {"--instance", "ta001", "--incumbent", "optimal", "--type",
                                "sequential", "--placement", placement});
    EXPECT_EQ(json["placement"], placement);
  }
}

TEST(Uts, CountsAsManyNodesByOneLoopAsByWorkStealing) {
  const auto by_loop = once(1, "uts", {"--tree", "prins:T1", "--type", "sequential"});
  EXPECT_EQ(by_loop["sizes"]["nodes"], once(1, "uts", {"--tree", "prins:T1"})["sizes"]["nodes"]);
  EXPECT_GT(by_loop["sizes"]["nodes"].get<int>(), 0);
  EXPECT_GT(by_loop["nodes_per_second"].get<double>(), 0);
}

TEST(Components, AreTheSameByEitherPlacementAndCombine) {
  const Arguments graph = {"--graph", "rmat", "--size", "N=4K,M=20K"};
  const auto expected = verified(1, "components", graph)["components"];
  const std::vector<Arguments> ways = {{"--placement", "replicated"}, {"--combine", "naive"}};
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
  EXPECT_EQ(read_file(folder / "good.labels"), "1\n1\n3\n1\n");
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
  const std::string path = folder / "huge";
  write_file(path, "CleaveG1\1");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 43) + 16);  // without any blocks
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
                       std::int64_t max_depth, int threads = 1) {
  const auto json = once(ranks, "uts", {"--tree", tree, "--threads", std::to_string(threads)});
  EXPECT_EQ(json["nodes"], nodes) << tree;
  EXPECT_EQ(json["leaves"], leaves) << tree;
  EXPECT_EQ(json["max_depth"], max_depth) << tree;
}

TEST(Uts, CountsTreesOfEveryTypeOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_uts_counts(ranks, "T1", 4'130'071, 3'305'118, 10);
    expect_uts_counts(ranks, "T3", 4'112'897, 3'599'034, 1572);
  }
  expect_uts_counts(3, "T1", 4'130'071, 3'305'118, 10, 2);
  expect_uts_counts(3, "T3", 4'112'897, 3'599'034, 1572, 2);
  for (const int ranks : {2, 5}) {
    expect_uts_counts(ranks, "T2", 4'117'769, 2'342'762, 81);
    expect_uts_counts(ranks, "T4", 4'132'453, 3'108'986, 134);
    expect_uts_counts(ranks, "T5", 4'147'582, 2'181'318, 20);
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
  for (const char* bound : {"lb2", "mix"}) {
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

TEST(Flowshop, ReadsAnInstanceFromAFile) {
  const TemporaryFolder folder;
  write_file(folder / "two.txt", "3 2\n1 2 3\n4 5 6\n");
  const auto json = verified(2, "flowshop", {"--instance", folder / "two.txt"});
  EXPECT_EQ(json["instance"], "two");
  EXPECT_EQ(json["makespan"], 16);
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

}  // namespace
}  // namespace cleave
