// SPDX-License-Identifier: Apache-2.0
// Every application is studied and predicted as a person does it, at sizes that take milliseconds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/machine_file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

struct Studied {
  std::string program;
  std::vector<std::string> sizes;  ///< that are run
  std::string asked;               ///< that is predicted
};
void PrintTo(const Studied& studied, std::ostream* out) { *out << studied.program; }

const std::vector<Studied> kStudies = {
    {"cleave-quicksort", {"N=64K", "N=96K", "N=128K", "N=192K", "N=256K"}, "N=512K"},
    {"cleave-components",
     {"N=16K,M=16K", "N=16K,M=64K", "N=24K,M=48K", "N=32K,M=32K", "N=32K,M=128K", "N=48K,M=96K",
      "N=64K,M=64K", "N=64K,M=256K"},
     "N=128K,M=256K"},
    {"cleave-uts", {"-t 1 -d 7 -r 19", "-t 1 -d 8 -r 19", "-t 1 -d 9 -r 19"}, "nodes=200K"},
    {"cleave-flowshop", {"--instance ta012", "--instance ta014", "--instance ta018"}, "nodes=200K"},
    {"example-mergesort", {"N=8K", "N=12K", "N=16K", "N=24K", "N=32K"}, "N=64K"},
    {"example-karatsuba",
     {"N=512", "N=600", "N=700", "N=850", "N=1K", "N=1200", "N=1400", "N=1700", "N=2K"},
     "N=4K,work=3981312,products=243"},
    {"example-closest-pair", {"N=4K", "N=6K", "N=8K", "N=12K", "N=16K"}, "N=32K"},
    {"example-queens", {"N=6", "N=7", "N=8", "N=9", "N=10"}, "nodes=200K"},
    {"example-knapsack", {"N=12", "N=13", "N=14", "N=15", "N=16"}, "nodes=200K"},
    {"example-record-sort", {"N=8K", "N=12K", "N=16K", "N=24K", "N=32K"}, "N=64K"}};

class Applications : public ::testing::TestWithParam<Studied> {};
INSTANTIATE_TEST_SUITE_P(All, Applications, ::testing::ValuesIn(kStudies),
                         [](const auto& parameter) {
                           std::string name = parameter.param.program;
                           std::erase(name, '-');
                           return name;
                         });

detail::Machine some_machine() {
  const detail::Communication pair{
      .ranks = 2, .latency_s = 2e-6, .gap_s_per_byte = 5e-10, .r_squared = 1};
  return {.name = "test",
          .alltoallv = {pair},
          .exchange = {pair},
          .provenance = detail::provenance_here("test", "", "none")};
}

/// The first 24 lines say how long a run takes on 2, 8 and 64 ranks, and what holds it back; or
/// that the runs of a busy host do not tell.
void expect_answers_first(const std::string& output) {
  std::istringstream lines(output);
  std::string head;
  std::string line;
  for (int i = 0; i < 24 && std::getline(lines, line); ++i) {
    const bool goes_on = line.starts_with("    ");  // it was broken to fit 80 columns
    head += goes_on ? line.substr(3) : '\n' + line;
  }
  for (const char* ranks : {"2", "8", "64"}) {
    const std::regex answer(std::string("\n  .+ on ") + ranks +
                            " ranks: ([0-9.]+ [a-z]+ when quiet \\(95 %: [0-9.]+ [a-z]+ to [0-9.]+ "
                            "[a-z]+\\); .*, [0-9]+ % of it |"
                            "not known: what was fitted allows too wide a range of times)");
    EXPECT_TRUE(std::regex_search(head, answer)) << ranks << " ranks:\n" << head;
  }
}

TEST_P(Applications, AreStudiedAndPredicted) {
  const Studied& app = GetParam();
  const std::string programs = CLEAVE_PROGRAMS;
  const testing::TemporaryFolder folder;
  const std::string machine = folder / "test.machine.json";
  const std::string study = folder / "study";
  write_machine(machine, some_machine());

  std::vector<std::string> command = {programs + "/cleave",
                                      "study",
                                      programs + "/" + app.program,
                                      "--quick",
                                      "--rounds",
                                      "1",
                                      "--repetitions",
                                      "3",
                                      "--machine",
                                      machine,
                                      "--out",
                                      study};
  for (const std::string& size : app.sizes) {
    command.insert(command.end(), {"--sizes", size});
  }
  const auto studied = testing::run_program(command);
  ASSERT_EQ(studied.status, 0) << studied.err;
  expect_answers_first(studied.out);

  const auto predicted = testing::run_program(
      {programs + "/cleave", "predict", study, "--ranks", "2", "--size", app.asked, "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto json = nlohmann::json::parse(predicted.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << predicted.out;
  const auto& prediction = json["predictions"][0];
  EXPECT_GT(prediction["seconds"].get<double>(), 1e-6);
  EXPECT_LT(prediction["seconds"].get<double>(), 10);
}

TEST(Threads, OfRanksOfTheHypercubeAreStudiedRehearsedAndPredicted) {
  const std::string programs = CLEAVE_PROGRAMS;
  const testing::TemporaryFolder folder;
  const std::string machine = folder / "test.machine.json";
  const std::string study = folder / "study";
  write_machine(machine, some_machine());
  std::vector<std::string> command = {programs + "/cleave",
                                      "study",
                                      programs + "/example-closest-pair",
                                      "--threads",
                                      "2",
                                      "--ranks",
                                      "1,2",
                                      "--at",
                                      "4",
                                      "--rounds",
                                      "1",
                                      "--repetitions",
                                      "3",
                                      "--machine",
                                      machine,
                                      "--out",
                                      study,
                                      "--allow-oversubscribed"};
  for (const char* size : {"N=4K", "N=6K", "N=8K", "N=12K", "N=16K"}) {
    command.insert(command.end(), {"--sizes", size});
  }
  const auto studied = testing::run_program(command);
  ASSERT_EQ(studied.status, 0) << studied.err;
  EXPECT_NE(studied.out.find("on 4 ranks of 2 threads: "), std::string::npos) << studied.out;
  const auto predicted = testing::run_program(
      {programs + "/cleave", "predict", study, "--ranks", "2", "--size", "N=16K", "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto prediction = nlohmann::json::parse(predicted.out).at("predictions").at(0);
  EXPECT_EQ(prediction.at("threads"), 2);
  EXPECT_NE(prediction.at("remarks").dump().find("rehearsed: the blocks of 2 ranks"),
            std::string::npos);
}

}  // namespace
}  // namespace cleave
