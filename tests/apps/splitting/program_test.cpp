// SPDX-License-Identifier: Apache-2.0
// cleave-spacetree as a person calls it: output on one line, errors on one line, exit status.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace {

using nlohmann::json;

struct Result {
  int status = 0;
  std::string text;  ///< standard output and error
};

Result run(const std::string& arguments) {
  Result result;
  std::FILE* pipe = ::popen((CLEAVE_SPACETREE " " + arguments + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    result.text += static_cast<char>(c);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class Program : public ::testing::Test {
 protected:
  Program() {
    std::ofstream(file("page.tree")) << "2 2\n1\n1000\n1000\n";
    std::ofstream(file("bad.tree")) << "2 2\n1\n10x0\n";
    std::ofstream(file("other.tree")) << "2 2\n1\n0100\n1000\n";
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void expect_refused(const std::string& arguments, int status, const std::string& part) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_EQ(result.text.rfind("cleave-spacetree: ", 0), 0U) << result.text;
    EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 1) << result.text;
    EXPECT_NE(result.text.find(part), std::string::npos) << result.text;
  }

  cleave::testing::TemporaryFolder folder_;
};

TEST_F(Program, TellsPeopleFourDigits) {
  std::ofstream(file("seven.tree")) << "2 2\n1\n1000\n";
  const Result result = run("plan --tree " + file("seven.tree") + " --processors 2");
  EXPECT_NE(result.text.find("max_over_mean         1.143\n"), std::string::npos) << result.text;
}

TEST_F(Program, PlansThePageExampleInEveryMode) {
  for (const char* mode : {"sfc", "any", "run", "subtree", "parent_owned"}) {
    const Result result = run("plan --tree " + file("page.tree") +
                              " --processors 3 --a1 1 --a2 1 --json --mode " + mode);
    ASSERT_EQ(result.status, 0) << result.text;
    EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 1);
    const json report = json::parse(result.text);
    EXPECT_EQ(report["imbalance"], 1);
    EXPECT_EQ(report["cost"], 13);
    EXPECT_EQ(report["sum_n"], 2);
    EXPECT_EQ(report["sum_N"], 11);
    EXPECT_EQ(report["max_over_mean"], 1.2);
    EXPECT_EQ(report["splits"].size(), 2U);
    EXPECT_EQ(report["exact"], true);
  }
}

TEST_F(Program, WritesAPlanThatReplays) {
  const Result planned = run("plan --tree " + file("page.tree") + " --processors 3 --json --out " +
                             file("p.plan.json"));
  ASSERT_EQ(planned.status, 0) << planned.text;
  const Result replayed =
      run("replay --tree " + file("page.tree") + " --plan " + file("p.plan.json") + " --json");
  EXPECT_EQ(json::parse(replayed.text)["cost"], 13);
  expect_refused("replay --tree " + file("other.tree") + " --plan " + file("p.plan.json"), 1,
                 "made for a tree of 10 leaves");
}

TEST_F(Program, MoreProcessorsThanLeavesAreLegal) {
  const Result result =
      run("plan --tree " + file("page.tree") + " --processors 20 --json --mode any");
  ASSERT_EQ(result.status, 0) << result.text;
  EXPECT_EQ(json::parse(result.text)["imbalance"], 1);
}

TEST_F(Program, BadInputIsNamedOnOneLine) {
  const std::string page = " --tree " + file("page.tree");
  expect_refused("plan --tree " + file("bad.tree") + " --processors 2", 1,
                 "line 3 column 3: 'x', expected 0 or 1");
  expect_refused("plan --tree " + file("none.tree") + " --processors 2", 1, "cannot read");
  expect_refused("plan --processors 0" + page, 2, "--processors: Value 0 not in range");
  expect_refused("plan --processors -3" + page, 2, "--processors: Value -3 not in range");
  expect_refused("plan --processors two" + page, 2, "two");
  expect_refused("plan --processors 2 --a1 -1" + page, 2, "--a1: '-1' is out of range");
  expect_refused("plan --processors 2 --a2 nan" + page, 2, "--a2: 'nan' is out of range");
  expect_refused("plan --processors 2 --window -1" + page, 2, "--window: '-1' is out of range");
  expect_refused("plan --processors 2 --mode x" + page, 2, "--mode: x not in {sfc,any,");
  expect_refused("plan --processors 2 --planner x" + page, 2, "--planner: x not in {");
  expect_refused("plan --processors 2 --curve peano --json" + page, 1, "no peano curve");
  expect_refused("simulate --processors 2 --policy x" + page, 2, "--policy is 'x', allowed are");
  expect_refused("plan --tree sphere:depth=3 --processors 2", 2, "allowed are d, k, max, min");
  expect_refused("plan --tree random:p=2 --processors 2", 2,
                 "probability 2, it must be from 0 to 1");
  expect_refused("plan --tree uniform:k=4 --processors 2", 2, "k is 4, allowed are 2 and 3");
  expect_refused("", 2, "A subcommand is required");
}

TEST_F(Program, LeavesNoHalfWrittenFile) {
  expect_refused(
      "plan --tree " + file("page.tree") + " --processors 2 --out " + file("no/such/p.json"), 1,
      "cannot write");
  EXPECT_FALSE(std::filesystem::exists(file("no")));
}

}  // namespace
