// SPDX-License-Identifier: Apache-2.0
// The programs of the examples as a person runs them, under mpiexec.
#include <deque>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "tests/apps/cli.hpp"

namespace cleave {

using namespace cleave::testing;
namespace {

struct Example {
  std::string program;
  std::string size;
  std::string result;  ///< the figure that is the same on any ranks; none: the solution is long
  std::vector<std::string> ways;
};

const std::string kReplicated = " --placement replicated";
const std::string kRooted = " --placement rooted";
const std::string kDistributed = " --placement distributed";
const std::string kStealing = " --type work_stealing";
const std::string kThreads = " --type work_stealing --threads 2";
const std::string kThreadsOfRanks = " --type hypercube --threads 2";
const std::string kSequential = " --type sequential";

const std::vector<Example> kExamples = {
    {"mergesort", "N=1001", "", {kReplicated, kRooted, kStealing, kSequential}},
    {"karatsuba", "N=300", "", {kReplicated, kRooted, kThreadsOfRanks, kStealing, kThreads}},
    {"closest-pair", "N=1001", "", {kReplicated, kRooted, kStealing, kSequential}},
    {"histogram", "N=1001", "", {kDistributed, kReplicated, kRooted, kStealing, kSequential}},
    {"all-queens", "N=7", "first", {kStealing, kThreads, kSequential}},
    {"best-fillings", "N=8", "values", {kStealing, kThreads, kSequential}},
    {"queens", "N=8", "solutions", {kStealing, kThreads, kSequential}},
    {"knapsack", "N=14", "value", {kStealing, kThreads, kSequential}},
    {"record-sort", "N=1001", "", {kDistributed, kReplicated, kRooted, kStealing, kSequential}}};

class Examples : public ::testing::TestWithParam<Example> {};
INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(kExamples), [](const auto& parameter) {
  std::string name = parameter.param.program;
  std::erase(name, '-');
  return name;
});

TEST_P(Examples, AreVerifiedOnAnyRanks) {
  const auto& [name, size, result, ways] = GetParam();
  const std::string program = "example-" + name;
  const std::string command = program + " --size " + size;
  const json expected = verified(1, command + kSequential);
  const auto figure = [&result = result](const json& found) {
    return result.empty() ? found.at("sizes").at("N") : found.at(result);
  };
  for (const int ranks : any_ranks({3})) {
    for (const std::string& way : ways) {
      EXPECT_EQ(figure(verified(ranks, command + way)), figure(expected)) << way;
    }
  }
  EXPECT_NE(run(1, program + " --help").out.find("--size"), std::string::npos);
  const auto described = json::parse(run(1, program + " --describe").out, nullptr, false);
  ASSERT_TRUE(described.is_object());
  EXPECT_NE(described["summary"], "");
  EXPECT_GE(described["study"]["sizes"].size(), 5U);
  EXPECT_GE(described["quick_study"]["sizes"].size(), 5U);
}

/// Each rank's part is of several that are `small`.
TEST(ExamplesOnThreads, ShareARanksPart) {
  for (const std::string& command : {"example-mergesort --size N=400001" + kReplicated,
                                     "example-closest-pair --size N=10001" + kRooted,
                                     "example-record-sort --size N=400001" + kDistributed,
                                     "example-record-sort --size N=400001" + kReplicated}) {
    verified(2, command + kThreadsOfRanks);
  }
}

TEST(Knapsack, OfAnotherSeedIsNotResumed) {
  for (const int ranks : {1, 2, 3}) {
    const TemporaryFolder folder;
    const std::string search =
        "example-knapsack --size N=22 --type work_stealing --quiet --resume --checkpoint " +
        folder.path().string() + " --seed ";
    const auto expect_refused = [&](const std::string& options, const std::string& reason) {
      const Finished finished = run(ranks, search + options);
      EXPECT_EQ(finished.status, 1);
      EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
    };
    expect_refused("1 --max-nodes 100000", "holds a snapshot");
    expect_refused("2", R"("seed": "1", "size": "N=22"}', but this run's is '{"program": ")");
    EXPECT_EQ(json_of(ranks, search + "1")["value"], 12906);
  }
}

/// Without the comment that opens it.
TEST(ExampleHeaders, HaveAtMost80Lines) {
  for (const auto& file : std::filesystem::directory_iterator(CLEAVE_EXAMPLES)) {
    if (file.path().extension() == ".hpp") {
      std::ifstream text(file.path());
      int lines = 0;
      for (std::string line; std::getline(text, line);) {
        lines += lines > 0 || !line.starts_with("//") ? 1 : 0;
      }
      EXPECT_TRUE(lines > 0 && lines <= 80) << file.path() << ": " << lines;
    }
  }
}

/// By board that can be solved, as its tiles in a row: the moves, by breadth-first search.
std::unordered_map<std::string, int> moves_of_all_boards() {
  std::unordered_map<std::string, int> moves = {{"1 2 3 4 5 6 7 8 0", 0}};
  for (std::deque<std::string> boards = {"1 2 3 4 5 6 7 8 0"}; !boards.empty();
       boards.pop_front()) {
    const std::string board = boards.front();
    const std::size_t gap = board.find('0') / 2;
    const std::pair<bool, std::size_t> ways[] = {
        {gap >= 3, gap - 3}, {gap < 6, gap + 3}, {gap % 3 > 0, gap - 1}, {gap % 3 < 2, gap + 1}};
    for (const auto& [is_there, other] : ways) {
      std::string next = board;
      if (is_there) {
        std::swap(next[2 * gap], next[2 * other]);
      }
      if (moves.try_emplace(next, moves.at(board) + 1).second) {
        boards.push_back(next);
      }
    }
  }
  return moves;
}

TEST(SlidingPuzzle, NeedsTheMovesThatABreadthFirstSearchFindsOnAnyRanks) {
  const auto moves = moves_of_all_boards();
  ASSERT_EQ(moves.size(), 181'440U);             // half of 9!
  ASSERT_EQ(moves.at("8 6 7 2 5 4 3 0 1"), 31);  // as many as any
  std::vector<std::string> boards = {"8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8"};
  for (const int wanted : {9, 24}) {
    boards.push_back(
        std::ranges::find(moves, wanted, [](const auto& entry) { return entry.second; })->first);
  }
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::string& board : boards) {
      const Finished finished = run(ranks, "example-sliding-puzzle " + board);
      EXPECT_EQ(finished.status, 0) << finished.err;
      EXPECT_EQ(finished.out, std::to_string(moves.at(board)) + "\n") << board << ", " << ranks;
    }
  }
}

}  // namespace
}  // namespace cleave
