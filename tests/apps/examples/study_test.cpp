// SPDX-License-Identifier: Apache-2.0
// Every example is studied and predicted as a person does it, at sizes that take milliseconds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <cleave/detail/trace/machine_file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

struct Example {
  std::string program;
  std::vector<std::string> sizes;  ///< that are run
  std::string asked;               ///< that is predicted
};

const std::vector<Example> kExamples = {
    {"mergesort", {"N=8K", "N=12K", "N=16K", "N=24K", "N=32K"}, "N=64K"},
    {"karatsuba",
     {"N=512", "N=600", "N=700", "N=850", "N=1K", "N=1200", "N=1400", "N=1700", "N=2K"},
     "N=4K,work=3981312,products=243"},
    {"closest-pair", {"N=4K", "N=6K", "N=8K", "N=12K", "N=16K"}, "N=32K"},
    {"queens", {"N=6", "N=7", "N=8", "N=9", "N=10"}, "nodes=200K"},
    {"knapsack", {"N=12", "N=13", "N=14", "N=15", "N=16"}, "nodes=200K"},
    {"record-sort", {"N=8K", "N=12K", "N=16K", "N=24K", "N=32K"}, "N=64K"}};

class Examples : public ::testing::TestWithParam<Example> {};
INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(kExamples), [](const auto& parameter) {
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

TEST_P(Examples, AreStudiedAndPredicted) {
  const Example& example = GetParam();
  const std::string programs = CLEAVE_PROGRAMS;
  const testing::TemporaryFolder folder;
  const std::string machine = folder / "test.machine.json";
  const std::string study = folder / "study";
  write_machine(machine, some_machine());

  std::vector<std::string> command = {programs + "/cleave",
                                      "study",
                                      programs + "/example-" + example.program,
                                      "--quick",
                                      "--rounds",
                                      "1",
                                      "--repetitions",
                                      "3",
                                      "--machine",
                                      machine,
                                      "--out",
                                      study};
  for (const std::string& size : example.sizes) {
    command.insert(command.end(), {"--sizes", size});
  }
  const auto studied = testing::run_program(command);
  ASSERT_EQ(studied.status, 0) << studied.err;

  const auto predicted = testing::run_program(
      {programs + "/cleave", "predict", study, "--ranks", "2", "--size", example.asked, "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto json = nlohmann::json::parse(predicted.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << predicted.out;
  const auto& prediction = json["predictions"][0];
  EXPECT_GT(prediction["seconds"].get<double>(), 1e-6);
  EXPECT_LT(prediction["seconds"].get<double>(), 10);
}

}  // namespace
}  // namespace cleave
