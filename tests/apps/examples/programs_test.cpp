// SPDX-License-Identifier: Apache-2.0
// The programs of the examples as a person runs them, under mpiexec.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/any_ranks.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

using Arguments = std::vector<std::string>;

struct Example {
  std::string program;
  std::string size;
  std::string result;  ///< the figure that is the same on any ranks; none: the solution is long
  std::vector<Arguments> ways;
};

const Arguments kReplicated = {"--placement", "replicated"};
const Arguments kRooted = {"--placement", "rooted"};
const Arguments kDistributed = {"--placement", "distributed"};
const Arguments kStealing = {"--type", "work_stealing"};
const Arguments kThreads = {"--type", "work_stealing", "--threads", "2"};
const Arguments kThreadsOfRanks = {"--type", "hypercube", "--threads", "2"};
const Arguments kSequential = {"--type", "sequential"};

const std::vector<Example> kExamples = {
    {"mergesort", "N=1001", "", {kReplicated, kRooted, kStealing, kSequential}},
    {"karatsuba",
     "N=300",
     "",
     {kReplicated, kRooted, kThreadsOfRanks, kStealing, kThreads, kSequential}},
    {"closest-pair", "N=1001", "", {kReplicated, kRooted, kStealing, kSequential}},
    {"histogram", "N=1001", "", {kDistributed, kReplicated, kRooted, kStealing, kSequential}},
    {"all-queens", "N=7", "first", {kStealing, kThreads, kSequential}},
    {"best-fillings", "N=8", "values", {kStealing, kThreads, kSequential}},
    {"queens", "N=8", "solutions", {kStealing, kThreads, kSequential}},
    {"knapsack", "N=14", "value", {kStealing, kThreads, kSequential}},
    {"record-sort", "N=1001", "", {kDistributed, kReplicated, kRooted, kStealing, kSequential}}};

nlohmann::json verified(const Example& example, int ranks, const Arguments& way) {
  Arguments command = {CLEAVE_MPIEXEC, "-n", std::to_string(ranks),
                       std::string(CLEAVE_PROGRAMS) + "/example-" + example.program};
  command.insert(command.end(), way.begin(), way.end());
  command.insert(command.end(), {"--size", example.size, "--verify", "--json", "--repetitions", "1",
                                 "--warm-up", "0"});
  SCOPED_TRACE(::testing::PrintToString(command));
  const auto finished = testing::run_program(command);
  EXPECT_EQ(finished.status, 0) << finished.err;
  auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "not a JSON object: " << finished.out;
    return nlohmann::json::object();
  }
  EXPECT_EQ(json["app"], "example-" + example.program);
  EXPECT_EQ(json["ranks"], ranks);
  EXPECT_EQ(json["verified"], true);
  return json;
}

class Examples : public ::testing::TestWithParam<Example> {};
INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(kExamples), [](const auto& parameter) {
  std::string name = parameter.param.program;
  std::erase(name, '-');
  return name;
});

TEST_P(Examples, AreVerifiedOnAnyRanks) {
  const Example& example = GetParam();
  const auto expected = verified(example, 1, kSequential);
  for (const int ranks : testing::any_ranks({3})) {
    for (const Arguments& way : example.ways) {
      const auto json = verified(example, ranks, way);
      if (!example.result.empty()) {
        EXPECT_TRUE(json.contains(example.result));
        EXPECT_EQ(json[example.result], expected.at(example.result));
      } else {
        EXPECT_EQ(json["sizes"]["N"], expected.at("sizes").at("N"));
      }
    }
  }
}

/// Each rank's part is of several that are `small`.
TEST(ExamplesOnThreads, ShareARanksPart) {
  const std::vector<Example> examples = {
      {"mergesort", "N=400001", "", {kReplicated}},
      {"closest-pair", "N=10001", "", {kRooted}},
      {"record-sort", "N=400001", "", {kDistributed, kReplicated}}};
  for (const Example& example : examples) {
    for (Arguments way : example.ways) {
      way.insert(way.end(), kThreadsOfRanks.begin(), kThreadsOfRanks.end());
      verified(example, 2, way);
    }
  }
}

TEST_P(Examples, SayWhatTheyAre) {
  const std::string program = std::string(CLEAVE_PROGRAMS) + "/example-" + GetParam().program;
  const auto help = testing::run_program({program, "--help"});
  EXPECT_EQ(help.status, 0) << help.err;
  EXPECT_NE(help.out.find("--size"), std::string::npos);
  const auto described = testing::run_program({program, "--describe"});
  const auto json = nlohmann::json::parse(described.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << described.err;
  EXPECT_NE(json["summary"], "");
  EXPECT_GE(json["study"]["sizes"].size(), 5U);
  EXPECT_GE(json["quick_study"]["sizes"].size(), 5U);
}

TEST(Knapsack, OfAnotherSeedIsNotResumed) {
  for (const int ranks : {1, 2, 3}) {
    const testing::TemporaryFolder folder;
    const auto search = [&](const char* seed, const Arguments& more) {
      Arguments command = {CLEAVE_MPIEXEC,
                           "-n",
                           std::to_string(ranks),
                           std::string(CLEAVE_PROGRAMS) + "/example-knapsack",
                           "--size",
                           "N=22",
                           "--type",
                           "work_stealing",
                           "--json",
                           "--quiet",
                           "--seed",
                           seed,
                           "--checkpoint",
                           folder.path().string(),
                           "--resume"};
      command.insert(command.end(), more.begin(), more.end());
      return testing::run_program(command);
    };
    const auto stopped = search("1", {"--max-nodes", "100000"});
    EXPECT_EQ(stopped.status, 1);
    EXPECT_NE(stopped.err.find("holds a snapshot"), std::string::npos) << stopped.err;
    const auto refused = search("2", {});
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find("field 'instance' is 'size=N=22,seed=1', but this run's is "
                               "'size=N=22,seed=2'"),
              std::string::npos)
        << refused.err;
    const auto json = nlohmann::json::parse(search("1", {}).out, nullptr, false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["value"], 12906);
  }
}

/// Without the comment that opens it.
TEST(ExampleHeaders, HaveAtMost80Lines) {
  for (const auto& file : std::filesystem::directory_iterator(CLEAVE_EXAMPLES)) {
    if (file.path().extension() != ".hpp") {
      continue;
    }
    std::ifstream text(file.path());
    int lines = 0;
    for (std::string line; std::getline(text, line);) {
      lines += lines > 0 || !line.starts_with("//") ? 1 : 0;
    }
    EXPECT_GT(lines, 0) << file.path();
    EXPECT_LE(lines, 80) << file.path();
  }
}

}  // namespace
}  // namespace cleave
