// SPDX-License-Identifier: Apache-2.0
// What the applications compute, and what they make of files, as a person runs them under mpiexec.
// messages.txt has how they end when something is wrong.
#include "tests/apps/cli.hpp"

#include <filesystem>
#include <map>
#include <set>

#include <cleave/file.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave {

using namespace cleave::testing;
namespace {

TEST(Applications, FindTheSameOnAnyRanksByEitherPlacementAndAlone) {
  const std::map<std::string, std::vector<std::string>> figures = {
      {"quicksort --size N=50K", {"sizes", "sorted"}},
      {"components --size N=10K,M=12K --seed 3", {"sizes", "components"}},
      {"uts --tree prins:T1", {"nodes", "leaves", "max_depth"}}};
  for (const auto& [command, names] : figures) {
    const json expected = verified(1, command + " --type sequential");
    const auto compare = [&, &names = names](const json& found) {
      for (const std::string& name : names) {
        EXPECT_EQ(found.value(name, json()), expected.value(name, json())) << command << name;
      }
    };
    for (const int ranks : kRanks) {
      compare(verified(ranks, command));
    }
    compare(verified(3, command + " --type sequential"));
    compare(verified(4, command + " --placement rooted"));
    compare(verified(5, command + " --placement rooted"));
  }
}

TEST(Quicksort, SortsEveryInputAndKeyInEitherOrder) {
  for (const std::string input : {"sorted", "reverse", "equal", "few", "zipf", "staggered"}) {
    const json even = verified(4, "quicksort --size N=100K --input " + input);
    EXPECT_LE(even["imbalance"], 1.1) << input;
    if (input != "zipf" && input != "staggered") {
      const json whole =
          verified(4, "quicksort --size N=20K --placement replicated --input " + input);
      EXPECT_LT(whole["imbalance"], 1.2) << input;
    }
  }
  for (const std::string key : {"int32", "int64", "uint64", "float", "double", "record"}) {
    verified(3, "quicksort --size N=20K --input zipf --order descending --key " + key);
  }
  for (const std::string size : {"N=1", "N=2", "N=3"}) {
    verified(5, "quicksort --size " + size);
  }
}

TEST(Quicksort, ReadsAndWritesKeysAsBytesAndAsTextOnAnyRanks) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::int64_t>(i * 7919 % 1009) - 500;
  }
  const auto bytes = [&keys] {
    return std::string(reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(keys[0]));
  };
  write_file(folder / "keys", bytes());
  write_file(folder / "text", fmt::format("{}\n", fmt::join(keys, "\n")));
  write_file(folder / "none", "");
  std::ranges::sort(keys);
  const std::string at = folder.path().string();
  for (const int ranks : kFewRanks) {
    verified(ranks, "quicksort --key int64 --input " + at + "/keys --output " + at + "/sorted");
    EXPECT_EQ(read_file(folder / "sorted"), bytes());
    verified(ranks, "quicksort --format text --input " + at + "/text --output " + at + "/sorted");
    EXPECT_EQ(read_file(folder / "sorted"), fmt::format("{}\n", fmt::join(keys, "\n")));
    verified(ranks, "quicksort --format text --placement replicated --input " + at + "/text");
    for (const std::string placement : {"distributed", "replicated", "rooted"}) {
      const json none =
          verified(ranks, "quicksort --input " + at + "/none --placement " + placement);
      EXPECT_EQ(none["sizes"], (json{{"N", 0}}));
    }
    once(ranks, "quicksort --input " + at + "/none --output " + at + "/sorted");
    EXPECT_EQ(read_file(folder / "sorted"), "");
  }
  for (const std::string placement : {"replicated", "rooted"}) {
    verified(3, "quicksort --size N=3000 --type work_stealing --placement " + placement +
                    " --output " + at + "/" + placement);
    EXPECT_EQ(read_file(folder / placement).size(), 12000U);
  }
  EXPECT_EQ(read_file(folder / "replicated"), read_file(folder / "rooted"));
}

TEST(Output, IsWholeWhateverLiesBesideIt) {
  const TemporaryFolder folder;
  const std::string out = folder / "keys";
  const std::string junk(100'000, 'Z');
  write_file(folder / "mine", junk);
  std::filesystem::create_symlink("mine", out + ".partial");
  std::filesystem::create_symlink("keys", folder / "link");
  write_file(out, "old");
  std::filesystem::permissions(out, std::filesystem::perms{0600});
  for (const int ranks : kFewRanks) {
    for (const std::string name : {"keys", "link"}) {
      verified(ranks, "quicksort --size N=1000 --output " + (folder / name).string());
      EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
      EXPECT_EQ(std::filesystem::file_size(out), 4000U);
      EXPECT_EQ(std::filesystem::status(out).permissions(), std::filesystem::perms{0600});
      EXPECT_EQ(read_file(folder / "mine"), junk);
      const auto begin = std::filesystem::directory_iterator(folder.path());
      EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 4);
    }
  }
  EXPECT_EQ(run(2, "quicksort --size N=1K --output /dev/null").status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

/// Expects one line of `command`, a program and what comes after it, where standard output is full.
void expect_told_that_output_is_full(const std::string& command) {
  const Finished finished = run_program({"sh", "-c", "exec " + command + " >/dev/full"});
  EXPECT_EQ(finished.status, 1) << command;
  const auto lines = lines_of(finished.err);
  EXPECT_TRUE(lines.size() == 1 && lines[0].ends_with("cannot write to standard output"))
      << command << ": " << finished.err;
}

TEST(Input, OfAClosedStreamIsEmptyAndNotWhatMpiHasOpened) {
  const std::string command = "/cleave-quicksort --type work_stealing --rehearse 2 --network ";
  const Finished finished =
      run_program({"sh", "-c", "exec timeout 9 " + kPrograms + command + "/dev/stdin <&-"});
  EXPECT_EQ(finished.err, "cleave-quicksort: /dev/stdin: empty, expected a JSON object\n");
}

TEST(Output, ThatIsFullIsAFailureOfEveryProgram) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPrograms)) {
    const std::string name = entry.path().filename().string();
    const bool is_tool = name == "cleave" || name.starts_with("cleave-");
    const bool is_users = is_tool || name.starts_with("example-") || name.starts_with("gallery-");
    if (is_users && !name.ends_with("_test") && name.find('.') == std::string::npos) {
      ++programs;
      expect_told_that_output_is_full(entry.path().string() + " --help");
      if (name != "example-sliding-puzzle") {  // has no versions
        expect_told_that_output_is_full(entry.path().string() + " --version");
      }
    }
  }
  EXPECT_GE(programs, 8);
  const std::string tree = " --tree random:max=3,p=0.65 --processors 3";
  for (const std::string& answer :
       {std::string("components --size N=100,M=200"), std::string("flowshop --describe"),
        std::string("uts -t 0 -b 20 -q 0.1 -m 8 -r 42"), std::string("quicksort --completions"),
        std::string("quicksort --size N=1K --json"),
        std::string("quicksort --size N=1K --rehearse 4"), "spacetree plan" + tree,
        "spacetree plan --json" + tree}) {
    expect_told_that_output_is_full(kPrograms + "/cleave-" + answer);
  }
}

TEST(Output, ThatIsFullCostsNoTrace) {
  const TemporaryFolder folder;
  const std::string quicksort = kPrograms + "/cleave-quicksort --size N=1K --trace ";
  for (const std::string way : {"", " --json", " --rehearse 4"}) {
    const std::string trace = (folder / "t.trace.jsonl").string();
    expect_told_that_output_is_full(quicksort + trace + way);
    EXPECT_EQ(detail::read_trace(trace).run.app, "quicksort") << way;
    std::filesystem::remove(trace);
  }
}

TEST(Components, OfAFileAreFoundAndWritten) {
  const TemporaryFolder folder;
  write_file(folder / "g", "# an archive's comment\n1 2\n2\t3\n5 6\n");
  write_file(folder / "good.mtx",
             "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n4 2\n");
  const std::string graph = "components --graph " + (folder / "g").string();
  EXPECT_EQ(verified(3, graph)["components"], 4);  // vertices 0 and 4 are alone
  EXPECT_EQ(verified(2, graph + " --size N=10 --placement rooted")["components"], 7);
  EXPECT_EQ(verified(2, graph + " --inputs new")["components"], 4);
  verified(3, "components --graph " + (folder / "good.mtx").string() + " --output " +
                  (folder / "labels").string());
  EXPECT_EQ(read_file(folder / "labels"), "1\n1\n3\n1\n");
}

TEST(Components, AreTheSameByEitherPlacementAndCombine) {
  const std::string graph = "components --graph rmat --size N=4K,M=20K";
  const json expected = verified(1, graph)["components"];
  for (const char* const way : {" --placement replicated", " --combine naive"}) {
    EXPECT_EQ(verified(5, graph + way)["components"], expected) << way;
  }
}

/// The trees of UTS 1.1 with the counts that the benchmark publishes.
struct Published {
  std::string tree;
  std::int64_t nodes;
  std::int64_t leaves;
  int max_depth;
};
const std::vector<Published> kPublished = {{"T1", 4'130'071, 3'305'118, 10},
                                           {"T3", 4'112'897, 3'599'034, 1572},
                                           {"T2", 4'117'769, 2'342'762, 81},
                                           {"T4", 4'132'453, 3'108'986, 134},
                                           {"T5", 4'147'582, 2'181'318, 20}};

void expect_published(const Published& published, int ranks, int threads) {
  const json found =
      once(ranks, "uts --tree " + published.tree + " --threads " + std::to_string(threads));
  EXPECT_EQ(found["nodes"], published.nodes) << published.tree;
  EXPECT_EQ(found["leaves"], published.leaves) << published.tree;
  EXPECT_EQ(found["max_depth"], published.max_depth) << published.tree;
}

TEST(Uts, CountsTreesOfEveryTypeOnAnyRanks) {
  for (std::size_t tree = 0; tree < 5; ++tree) {
    for (const int ranks : tree < 2 ? kRanks : std::vector{2, 5}) {
      expect_published(kPublished[tree], ranks, 1);
    }
  }
  expect_published(kPublished[0], 3, 2);
  expect_published(kPublished[1], 3, 2);
  EXPECT_EQ(verified(5, "uts --tree prins:T2")["nodes"], 53521);
  for (const int ranks : kRanks) {
    EXPECT_EQ(verified(ranks, "uts --tree prins:T1 --type hypercube")["nodes"], 50045);
  }
  EXPECT_GE(verified(3, "uts --tree prins:T3 --type hypercube")["imbalance"], 1);
}

TEST(Uts, TakesTheOptionLettersOfTheBenchmark) {
  const std::string tree = "-t 2 -a 0 -d 8 -b 4 -r 1 -f 0.4 -q 0.2 -m 4";
  const json found = verified(2, "uts " + tree + " -g 3 --kernel openssl");
  EXPECT_EQ(found["tree"], tree);
  EXPECT_EQ(found["kernel"], "openssl");
  EXPECT_EQ(once(1, "uts --tree T1 -d 8")["tree"], "-t 1 -a 3 -d 8 -b 4 -r 19");
}

TEST(Uts, AtADepthOfAMillionTouchesNoCallStack) {
  const json found = once(2, "uts -t 3 -b 1 -d 1000000");
  EXPECT_EQ(found["nodes"], 1'000'001);
  EXPECT_EQ(found["max_depth"], 1'000'000);
}

/// Counts on which independent programs agree, with the incumbent at the optimum; -1: not compared.
void expect_explored(int ranks, const std::string& options, std::int64_t explored,
                     std::int64_t leaves = -1) {
  const json found = once(ranks, "flowshop " + options);
  EXPECT_EQ(found["explored"], explored) << options;
  EXPECT_TRUE(leaves < 0 || found["leaves"] == leaves) << options << found["leaves"];
  EXPECT_TRUE(found["permutation"].is_null()) << options;
}

TEST(Flowshop, ExploresTheSameNodesOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_explored(ranks, "--instance ta014 --branching forward --incumbent optimal", 2'573'652,
                    2'648);
    expect_explored(ranks, "--instance ta020 --incumbent 1591", 268'814, 2);
  }
  expect_explored(2, "--bound lb2 --branching forward --incumbent optimal", 144'639);
  expect_explored(3, "--type sequential --incumbent optimal", 19'300);
}

/// Begins with a heuristic and ends with the optimum, and with a permutation of it.
void expect_optimum(int ranks, const std::string& options, int optimum) {
  const json found = once(ranks, "flowshop " + options);
  EXPECT_EQ(found["makespan"], optimum) << options;
  EXPECT_EQ(found["best_known"], optimum) << options;
  ASSERT_TRUE(found["permutation"].is_array()) << options;
  EXPECT_EQ(std::set<int>(found["permutation"].begin(), found["permutation"].end()).size(), 20U);
}

TEST(Flowshop, FindsTheOptimumFromAHeuristicOnAnyRanks) {
  for (const int ranks : kRanks) {
    expect_optimum(ranks, "--instance ta001", 1278);
    expect_optimum(ranks, "--instance ta018", 1538);
  }
  expect_optimum(2, "--bound lb2 --branching maxSum --verify", 1377);
  expect_optimum(2, "--bound mix --branching maxSum --verify", 1377);
  for (const std::string placement : {"replicated", "rooted"}) {
    verified(1, "flowshop --instance ta001 --type sequential --placement " + placement);
  }
  const TemporaryFolder folder;
  write_file(folder / "two.txt", "3 2\n1 2 3\n4 5 6\n");
  const json two = verified(2, "flowshop --instance " + (folder / "two.txt").string());
  EXPECT_EQ(two["instance"], "two");
  EXPECT_EQ(two["makespan"], 16);
}

/// The instance ta021, which takes minutes, as a file. \return  with the first time as given
std::string hard_instance(int first_time) {
  std::string text = "20 20\n";
  std::int64_t state = 479340445;  // by Taillard's generator
  for (int i = 0; i < 400; ++i) {
    state = 16807 * state % 2147483647;
    const auto time = i == 0 && first_time > 0 ? first_time : 1 + 99 * state / 2147483647;
    text += fmt::format("{}{}", time, i % 20 == 19 ? '\n' : ' ');
  }
  return text;
}

TEST(Search, OfAFileIsResumedIfItHoldsTheSame) {
  const TemporaryFolder folder;
  const std::string snapshots = folder / "snapshots";
  write_file(folder / "a.txt", hard_instance(0));
  write_file(folder / "same.txt", hard_instance(0));
  write_file(folder / "other.txt", hard_instance(98));
  const auto search = [&](int ranks, const std::string& options) {
    return run(ranks, "flowshop --max-nodes 200000 --json --resume --checkpoint " + snapshots +
                          " --instance " + folder.path().string() + "/" + options);
  };
  for (const int ranks : kFewRanks) {
    const std::string err = search(ranks, "a.txt").err;
    EXPECT_NE(err.find("has more than 200000 nodes; " + snapshots + " holds a snapshot"), err.npos)
        << err;
    for (const char* const options :
         {"other.txt", "same.txt --seed 2", "same.txt --bound lb2", "same.txt --incumbent 9999"}) {
      const Finished other = search(ranks, options);
      EXPECT_EQ(other.status, 1);
      EXPECT_EQ(other.out, "");
      EXPECT_NE(other.err.find("field 'instance' is '{\"bound\": \"lb1\""), std::string::npos)
          << other.err;
    }
    const auto resumed = json::parse(search(ranks, "same.txt").out, nullptr, false);
    ASSERT_TRUE(resumed.is_object());
    EXPECT_FALSE(resumed["resumed_from"].is_null());
  }
}

TEST(Search, ThatIsEndedEarlyPrintsTheBestSoFar) {
  for (const int ranks : kFewRanks) {
    for (const auto& [limit, reason] :
         {std::pair("--max-nodes 200000", "the tree has more than 200000 nodes"),
          std::pair("--max-time 300ms", "the search takes longer than 0.3 s")}) {
      for (const std::string type : {"work_stealing", "sequential"}) {
        const json found =
            json_of(ranks, "flowshop --instance ta021 --quiet --type " + type + " " + limit, 1);
        EXPECT_EQ(found["ended_early"], reason);
        EXPECT_FALSE(found.contains("verified"));
        EXPECT_GE(found["makespan"], 2297);
        EXPECT_EQ(found["permutation"].size(), 20U);
        EXPECT_TRUE(type == "sequential" || std::ssize(found["share_of_nodes"]) == ranks);
      }
    }
  }
}

TEST(Search, ThatIsResumedCountsTheNodesOfThisRunByTheSecond) {
  const TemporaryFolder folder;
  const std::string search =
      "uts --tree T1L --quiet --resume --checkpoint " + (folder / "snapshots").string();
  json_of(2, search + " --max-nodes 2M", 1);
  const json found = json_of(2, search);
  EXPECT_EQ(found["nodes"], 102'181'082);
  const double of_this_run =
      found["nodes_per_second"].get<double>() * found["seconds"][0].get<double>();
  EXPECT_LT(of_this_run, 102'181'082 - 2'000'000);
  EXPECT_GT(of_this_run, 0);
}

}  // namespace
}  // namespace cleave
