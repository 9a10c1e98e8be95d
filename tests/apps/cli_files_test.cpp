// SPDX-License-Identifier: Apache-2.0
// What the applications make of files: their users' own are left alone, others' are read as they
// are meant or refused, and a search is resumed if it is the same.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include <cleave/file.hpp>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::testing;
namespace {

const std::vector<int> kFewRanks = any_ranks({1, 2, 3});

TEST(Output, OfKeysIsWholeWhateverLiesBesideIt) {
  const TemporaryFolder folder;
  const std::string out = folder / "keys";
  write_file(out + ".partial", std::string(100'000, 'Z'));
  write_file(out, "old");
  std::filesystem::permissions(out, std::filesystem::perms{0600});
  for (const int ranks : kFewRanks) {
    const auto json = once(ranks, "quicksort", {"--size", "N=1000", "--output", out, "--verify"});
    EXPECT_EQ(json["verified"], true);
    EXPECT_EQ(std::filesystem::file_size(out), 4000U);
    EXPECT_EQ(std::filesystem::status(out).permissions(), std::filesystem::perms{0600});
    EXPECT_EQ(read_file(out + ".partial"), std::string(100'000, 'Z'));
    const auto begin = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 2);
  }
}

TEST(Output, OfKeysNamedLikeALinkLeavesItsTarget) {
  const TemporaryFolder folder;
  write_file(folder / "mine", "mine");
  std::filesystem::create_symlink("mine", folder / "keys.partial");
  once(2, "quicksort", {"--size", "N=1000", "--output", folder / "keys"});
  EXPECT_EQ(std::filesystem::file_size(folder / "keys"), 4000U);
  EXPECT_EQ(read_file(folder / "mine"), "mine");
}

TEST(Output, OfTwoRunsAtOnceIsThatOfOne) {
  const TemporaryFolder folder;
  const std::string out = folder / "labels";
  const auto label = [&out](const char* size) {
    return std::async(std::launch::async, [&out, size] {
      return run(2, "components", {"--size", size, "--output", out, "--quiet"}).status;
    });
  };
  auto small = label("N=200K,M=1");
  auto large = label("N=300K,M=1");
  EXPECT_EQ(small.get(), 0);
  EXPECT_EQ(large.get(), 0);
  const std::size_t lines = lines_of(read_file(out)).size();
  EXPECT_TRUE(lines == 200 * 1024 || lines == 300 * 1024) << lines;
}

TEST(Output, WithoutANameIsRefused) {
  const auto refused = [](const std::string& program, const char* option) {
    expect_failure(2, program, {option, ""}, 2,
                   std::string(option) + ": '' is not the name of a file or folder");
  };
  refused("quicksort", "--output");
  refused("components", "--output");
  refused("components", "--trace");
  refused("flowshop", "--checkpoint");
}

TEST(Output, OfLabelsIsNotTheGraphItself) {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_file(graph, "0 1\n");
  std::filesystem::create_symlink("graph", folder / "link");
  for (const std::string& out : {graph, (folder / "link").string()}) {
    expect_failure(2, "components", {"--graph", graph, "--output", out}, 2,
                   "--output: " + out + " is read, choose another file to write");
  }
  EXPECT_EQ(read_file(graph), "0 1\n");
}

TEST(Output, BeyondALimitOfTheShellIsAnError) {
  const TemporaryFolder folder;
  const Finished finished = run_program(
      {"/bin/bash", "-c",
       "ulimit -f 30000; exec " CLEAVE_MPIEXEC " -n 2 " + kPrograms +
           "/cleave-quicksort --size N=16M --quiet --output " + (folder / "keys").string()});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("/keys: cannot write: "), std::string::npos) << finished.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Output, OfLabelsToStandardOutputByItsDevice) {
  const Finished finished =
      run(2, "components",
          {"--size", "N=3,M=1", "--graph", "gnm", "--quiet", "--output", "/dev/stdout"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(lines_of(finished.out).size(), 3U);
}

TEST(Keys, OfNoneAreSortedToNone) {
  const TemporaryFolder folder;
  write_file(folder / "none", "");
  for (const int ranks : kFewRanks) {
    for (const char* placement : {"distributed", "replicated", "rooted"}) {
      const auto json =
          verified(ranks, "quicksort", {"--input", folder / "none", "--placement", placement});
      EXPECT_EQ(json["sizes"], (nlohmann::json{{"N", 0}}));
      EXPECT_EQ(json["sorted"], true);
    }
    once(ranks, "quicksort", {"--input", folder / "none", "--output", folder / "out"});
    EXPECT_EQ(read_file(folder / "out"), "");
  }
}

TEST(Keys, OfTextAreSortedAsNumbersAndWrittenAsText) {
  const TemporaryFolder folder;
  std::string text;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("{}\n", i * 7919 % 1009 - 500);
  }
  std::vector<int> numbers;
  for (const std::string& line : lines_of(text)) {
    numbers.push_back(std::stoi(line));
  }
  std::sort(numbers.begin(), numbers.end());
  for (const int number : numbers) {
    expected += fmt::format("{}\n", number);
  }
  const std::string in = folder / "numbers.txt";
  write_file(in, text);
  for (const int ranks : kFewRanks) {
    const auto json =
        once(ranks, "quicksort",
             {"--input", in, "--format", "text", "--verify", "--output", folder / "sorted.txt"});
    EXPECT_EQ(json["sizes"], (nlohmann::json{{"N", 1000}}));
    EXPECT_EQ(json["verified"], true);
    EXPECT_EQ(read_file(folder / "sorted.txt"), expected);
    expect_failure(ranks, "quicksort", {"--input", in}, 1,
                   in + ": is text: --format text reads the numbers, --format binary its bytes as "
                        "keys");
  }
  EXPECT_EQ(verified(2, "quicksort",
                     {"--input", in, "--format", "text", "--placement", "replicated"})["sorted"],
            true);
}

TEST(Keys, InAFifoThatNobodyWritesToAreRefused) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_failure(2, "quicksort", {"--input", fifo, "--format", "text"}, 1,
                 fifo + ": cannot read: it is not a regular file");
}

TEST(Keys, OptionsThatDoNotGoTogetherAreRefused) {
  expect_failure(2, "quicksort", {"--format", "text", "--key", "record"}, 2,
                 "--format: a record is two numbers, text has one: choose another --key");
  expect_failure(1, "quicksort", {"--format", "ascii"}, 2,
                 "--format: ascii not in {auto,binary,text}");
}

TEST(Graph, OfAnotherFormIsRefusedOnAnyRanks) {
  const TemporaryFolder folder;
  write_file(folder / "n.csv", "0,1\n1,2\n3,4\n");
  const std::string file = folder / "n.csv";
  for (const int ranks : kFewRanks) {
    expect_failure(
        ranks, "components", {"--graph", file}, 1,
        file +
            ": line 1: '0,1' is not a vertex number; --size N=COUNT allows more "
            "vertices; python -m cleave.convert FILE makes other files one that is read");
  }
}

TEST(Graph, ThatCountsFromOneIsNotedOnce) {
  const TemporaryFolder folder;
  write_file(folder / "g", "1 2\n2 3\n");
  const Arguments arguments = {"--graph", folder / "g", "--verify", "--json"};
  const std::string note = "cleave-components: note: " + (folder / "g").string() +
                           ": no line names vertex 0, which is a component of its own";
  EXPECT_EQ(lines_of(run(2, "components", arguments).err), Arguments{note});
  Arguments quiet = arguments;
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run(2, "components", quiet).err, "");
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
  const auto search = [&](int ranks, const std::string& instance, const Arguments& more) {
    Arguments all = {"--instance", folder / instance, "--max-nodes", "200000",
                     "--json",     "--checkpoint",    snapshots,     "--resume"};
    all.insert(all.end(), more.begin(), more.end());
    return run(ranks, "flowshop", all);
  };
  for (const int ranks : kFewRanks) {
    const Finished stopped = search(ranks, "a.txt", {});
    EXPECT_EQ(stopped.status, 1);
    EXPECT_NE(
        stopped.err.find("the tree has more than 200000 nodes; " + snapshots + " holds a snapshot"),
        std::string::npos)
        << stopped.err;
    write_file(folder / "a.txt", hard_instance(98));
    for (const Finished& other :
         {search(ranks, "a.txt", {}), search(ranks, "same.txt", {"--seed", "2"}),
          search(ranks, "same.txt", {"--bound", "lb2"}),
          search(ranks, "same.txt", {"--incumbent", "9999"})}) {
      EXPECT_EQ(other.status, 1);
      EXPECT_EQ(other.out, "");
      EXPECT_NE(other.err.find("field 'instance' is 'instance=file "), std::string::npos)
          << other.err;
    }
    write_file(folder / "a.txt", hard_instance(0));
    const auto json = nlohmann::json::parse(search(ranks, "same.txt", {}).out, nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_FALSE(json["resumed_from"].is_null());
  }
}

TEST(Search, ThatIsEndedEarlyPrintsTheBestSoFar) {
  for (const int ranks : kFewRanks) {
    for (const Arguments& limit : {Arguments{"--max-nodes", "200000"}, {"--max-time", "300ms"}}) {
      Arguments all = {"--instance", "ta021", "--json", "--quiet"};
      all.insert(all.end(), limit.begin(), limit.end());
      const Finished finished = run(ranks, "flowshop", all);
      SCOPED_TRACE(finished.err);
      EXPECT_EQ(finished.status, 1);
      const auto json = nlohmann::json::parse(finished.out, nullptr, false);
      ASSERT_TRUE(json.is_object()) << finished.out;
      const std::string reason = limit[0] == "--max-nodes" ? "the tree has more than 200000 nodes"
                                                           : "the search takes longer than 0.3 s";
      EXPECT_EQ(json["ended_early"], reason);
      EXPECT_EQ(lines_of(finished.err), Arguments{"cleave-flowshop: " + reason});
      EXPECT_FALSE(json.contains("verified"));
      EXPECT_GE(json["makespan"], 2297);
      EXPECT_EQ(json["permutation"].size(), 20U);
      EXPECT_EQ(json["share_of_nodes"].size(), static_cast<std::size_t>(ranks));
      all.insert(all.end(), {"--type", "sequential"});
      const auto alone = nlohmann::json::parse(run(ranks, "flowshop", all).out, nullptr, false);
      ASSERT_TRUE(alone.is_object());
      EXPECT_EQ(alone["ended_early"], reason);
      EXPECT_EQ(alone["permutation"].size(), 20U);
    }
  }
}

TEST(Search, ThatIsResumedCountsTheNodesOfThisRunByTheSecond) {
  const TemporaryFolder folder;
  const Arguments search = {"--tree",   "T1L",    "--checkpoint", folder / "snapshots",
                            "--resume", "--json", "--quiet"};
  Arguments limited = search;
  limited.insert(limited.end(), {"--max-nodes", "2M"});
  EXPECT_EQ(run(2, "uts", limited).status, 1);
  const auto json = nlohmann::json::parse(run(2, "uts", search).out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["nodes"], 102'181'082);
  const double of_this_run =
      json["nodes_per_second"].get<double>() * json["seconds"][0].get<double>();
  EXPECT_LT(of_this_run, 102'181'082 - 2'000'000);
  EXPECT_GT(of_this_run, 0);
}

}  // namespace
}  // namespace cleave
