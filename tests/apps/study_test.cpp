// SPDX-License-Identifier: Apache-2.0
// Every application is studied and predicted as a person does it, at sizes that take milliseconds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include <cleave/host/host.hpp>
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
    {"example-closest-pair", {"N=4K", "N=6K", "N=8K", "N=12K", "N=16K"}, "N=32K"},
    {"example-karatsuba", {"N=512", "N=1200", "N=2K"}, "N=4K,work=3981312,products=243"},
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
          .exchange = {pair},
          .provenance = detail::provenance_here("test", "", "none")};
}

/// 24 lines at most say how long a run takes on 2, 8 and 64 ranks, how sure, what holds it.
void expect_answers(const std::string& output) {
  EXPECT_LE(std::ranges::count(output, '\n'), 24) << output;
  for (const char* ranks : {"2", "8", "64"}) {
    const std::regex answer(std::string("\n(.+  )? *") + ranks +
                            " ranks +([0-9.]+ [a-z]+ +){4,5}[a-z_]+");
    EXPECT_TRUE(std::regex_search(output, answer)) << ranks << " ranks:\n" << output;
  }
}

/// A program that was studied in a folder of its own, once and with a made-up machine.
class StudyOf {
 public:
  StudyOf(const std::string& program, const std::vector<std::string>& sizes,
          const std::vector<std::string>& options) {
    const std::string machine = folder_ / "test.machine.json";
    write_machine(machine, some_machine());
    std::vector<std::string> command = {
        kCleave,    "study", std::string(CLEAVE_PROGRAMS) + "/" + program,
        "--rounds", "1",     "--machine",
        machine,    "--out", study_};
    command.insert(command.end(), options.begin(), options.end());
    for (const std::string& size : sizes) {
      command.push_back("--sizes=" + size);
    }
    command.insert(command.end(), {"--", "--repetitions", "3"});
    const auto finished = testing::run_program(command);
    EXPECT_EQ(finished.status, 0) << finished.err;
    output_ = finished.out;
  }

  const std::string& output() const { return output_; }

  /// On 2 ranks.
  nlohmann::json predicted(const std::string& size) const {
    const auto finished = testing::run_program(
        {kCleave, "predict", study_, "--ranks", "2", "--size", size, "--json"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    const auto json = nlohmann::json::parse(finished.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << finished.out;
    return json.value("/predictions/0"_json_pointer, nlohmann::json::object());
  }

 private:
  inline static const std::string kCleave = std::string(CLEAVE_PROGRAMS) + "/cleave";

  testing::TemporaryFolder folder_;
  std::string study_ = folder_ / "study";
  std::string output_;
};

TEST_P(Applications, AreStudiedAndPredicted) {
  const Studied& app = GetParam();
  const StudyOf study(app.program, app.sizes, {"--quick"});
  expect_answers(study.output());
  const auto prediction = study.predicted(app.asked);
  EXPECT_GT(prediction.value("seconds", 0.0), 1e-6);
  EXPECT_LT(prediction.value("seconds", 1e9), 10);
}

TEST(Threads, OfRanksOfTheHypercubeAreStudiedRehearsedAndPredicted) {
  const StudyOf study("example-closest-pair", {"N=4K", "N=6K", "N=8K", "N=12K", "N=16K"},
                      {"--threads", "2", "--ranks", "1,2", "--at", "4", "--allow-oversubscribed"});
  EXPECT_NE(study.output().find("4 ranks of 2 threads  "), std::string::npos) << study.output();
  const auto prediction = study.predicted("N=16K");
  EXPECT_EQ(prediction.value("threads", 0), 2);
  EXPECT_EQ(prediction.value("times_beyond", 0.0), 1) << prediction;
}

}  // namespace
}  // namespace cleave
