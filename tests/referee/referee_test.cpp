// SPDX-License-Identifier: Apache-2.0
// The referees themselves: programs on simulated hosts, and judges of predictions.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using testing::Finished;
using testing::run_program;

const std::string kReferee = CLEAVE_REFEREE;

Finished run(std::vector<std::string> command, const std::vector<std::string>& arguments,
             std::chrono::seconds time_out = std::chrono::seconds(90)) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, {}, time_out);
}

class Simulated : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kReferee + "/../../build/smpi/bin/cleave-uts")) {
      GTEST_SKIP() << "SimGrid is not set up: run tests/referee/setup";
    }
  }

  static Finished simulate(const std::vector<std::string>& arguments) {
    return run({kReferee + "/simulate"}, arguments);
  }

  static nlohmann::json verified(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--verify", "--json", "--repetitions", "1"});
    const Finished finished = simulate(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    auto json = nlohmann::json::parse(finished.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << finished.out;
    return json.is_discarded() ? nlohmann::json::object() : json;
  }
};

TEST_F(Simulated, ApplicationsGiveVerifiedResultsOnEveryPlatform) {
  for (const char* platform : {"ethernet", "fat-tree", "torus"}) {
    for (const char* ranks : {"1", "5", "64"}) {
      const std::vector<std::string> where = {"--platform", platform, "-n", ranks};
      for (const std::vector<std::string>& what :
           std::vector<std::vector<std::string>>{{"cleave-quicksort", "--size", "N=20K"},
                                                 {"cleave-components", "--size", "N=1K,M=4K"},
                                                 {"cleave-uts", "--tree", "prins:T1"}}) {
        std::vector<std::string> arguments = where;
        arguments.insert(arguments.end(), what.begin(), what.end());
        EXPECT_EQ(verified(arguments)["verified"], true) << platform << ", " << ranks << " ranks";
      }
    }
  }
}

// Two hosts a leaf of a tree whose links take 10 ms: the first two are neighbours, in any order.
TEST_F(Simulated, RanksAreOnHostsInTheOrderOfTheirNumbers) {
  const testing::TemporaryFolder folder;
  const auto seconds = [&](const std::string& first, const std::string& last) {
    const std::string platform = folder / (first + ".xml");
    std::ofstream(platform) << R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="tree" prefix="host-" suffix=".rack" speed="1Gf"
  bw="1GBps" lat="10ms" sharing_policy="SPLITDUPLEX" topology="FAT_TREE"
  topo_parameters="2;2,8;1,2;1,1" radical=")"
                            << first << '-' << last << "\"/></platform>\n";
    const auto json =
        verified({"--platform", platform, "-n", "2", "cleave-quicksort", "--size", "N=1K"});
    return json["seconds"][0].get<double>();
  };
  EXPECT_NEAR(seconds("9", "24") / seconds("100", "115"), 1, 0.1);
}

// 117.7 MB/s and 25 us, as the platform says; SimGrid adds 5 % for what comes the other way.
TEST_F(Simulated, CalibrationFindsThePlatformsLatencyAndRate) {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "simulated.machine.json";
  const Finished finished =
      simulate({"-n", "2", "cleave-calibrate", "--seconds", "2", "--out", file});
  ASSERT_EQ(finished.status, 0) << finished.err;
  std::ifstream in(file);
  const auto exchange = nlohmann::json::parse(in)["exchange"][0];
  EXPECT_NEAR(2 * exchange["gap_s_per_byte"].get<double>(), 1.05 / 117.7e6, 0.1 / 117.7e6);
  EXPECT_GE(2 * exchange["latency_s"].get<double>(), 24e-6);
}

TEST_F(Simulated, SleepTakesSimulatedTimeAlone) {
  const auto json =
      verified({"-n", "2", kReferee + "/../../build/smpi/instrumented/cleave-quicksort", "--size",
                "N=1K", "--placement", "replicated", "--warm-up", "0", "--inject",
                "delay:rank=1,level=0,block=divide,ms=1000000"});
  EXPECT_GE(json["seconds"][0].get<double>(), 1000);
}

TEST_F(Simulated, ComputationTakesTheLeastOfWhatItTookBefore) {
  const Finished finished =
      simulate({"--cold", "--least", "1,3", "-n", "4", "cleave-quicksort", "--size", "N=50K",
                "--placement", "replicated", "--warm-up", "0", "--repetitions", "6", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto seconds = nlohmann::json::parse(finished.out)["seconds"];
  EXPECT_NEAR(seconds[4], seconds[5], 1e-8);  // the moments of a clock of whole nanoseconds
  for (const int measured : {1, 2, 3}) {
    EXPECT_LE(seconds[5], seconds[measured]) << measured;
  }
}

// The one process that all ranks are in has more than a rank would.
TEST_F(Simulated, TracesDoNotKnowTheMemoryOfARank) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path trace = folder.path() / "a.trace.jsonl";
  verified({"-n", "2", "cleave-quicksort", "--size", "N=1K", "--trace", trace.string()});
  const RunInformation run = read_trace(trace).run;
  EXPECT_TRUE(simulates_hosts(run.provenance.mpi_library)) << run.provenance.mpi_library;
  EXPECT_EQ(run.peak_memory_bytes, 0);
}

TEST_F(Simulated, LeastIsRefusedWhereRepetitionsDiffer) {
  const Finished finished =
      simulate({"--least", "1,3", "-n", "4", "cleave-uts", "--tree", "prins:T1", "--type",
                "work_stealing", "--warm-up", "0", "--repetitions", "6"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_NE(finished.err.find("another number of times"), std::string::npos) << finished.err;
}

// The clock stops while the core is away, for the thread of the ranks alone: another one, which
// tells how far the run is, would take off what they compute.
TEST_F(Simulated, ComputationCountsWhereOthersWantTheCore) {
  std::vector<std::jthread> others;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
    others.emplace_back([](const std::stop_token& stopped) {
      while (!stopped.stop_requested()) {
      }
    });
  }
  const Finished finished = simulate(
      {"-n", "2", "cleave-quicksort", "--size", "N=512K", "--repetitions", "150", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto seconds = nlohmann::json::parse(finished.out)["seconds"].get<std::vector<double>>();
  EXPECT_GT(std::ranges::min(seconds), 0.92 * median(seconds));
}

TEST_F(Simulated, WrongRequestsAreRefusedInOneLine) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"-n", "0", "cleave-uts"},
                                             {"-n", "2"},
                                             {"-n", "257", "--platform", "torus", "cleave-uts"},
                                             {"-n", "2", "--platform", "token-ring", "cleave-uts"},
                                             {"-n", "2", "--slower", "very", "cleave-uts"},
                                             {"-n", "2", "--heap", "much", "cleave-uts"},
                                             {"-n", "2", "--least", "3", "cleave-uts"},
                                             {"-n", "2", "cleave-nothing"},
                                             {"--fast", "-n", "2", "cleave-uts"}}) {
    const Finished finished = simulate(arguments);
    EXPECT_EQ(finished.status, 2) << arguments.back();
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

TEST_F(Simulated, TablesOfManyRanksArePrinted) {
  const testing::TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::vector<std::string>>> tables = {
      {"stealing",
       {"|  | T1, geometric | 1 |", "| fat-tree | T3, binomial | 8 |", " 100.0 % | 0 | 0 |"}},
      {"rehearsed", {"| uts T1 | 8 |"}},
      {"products", {"\n| 1 | ", "\n| 2 | ", "\n| 4 | ", "\n| 7 | "}}};
  for (const auto& [name, parts] : tables) {
    const Finished finished =
        run({kReferee + "/scale", name},
            {"--short", "--platform", "fat-tree", "--runs", folder.path(), "--programs",
             std::filesystem::path(CLEAVE_PROGRAM).parent_path()});
    EXPECT_EQ(finished.status, 0) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished.out;
    }
  }
}

TEST_F(Simulated, APredictionIsJudged) {
  const testing::TemporaryFolder folder;
  const Finished finished =
      run({kReferee + "/judge"}, {"short", "--runs", folder.path(), "--cleave", CLEAVE_PROGRAM},
          std::chrono::seconds(110));
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("\n| short | "), std::string::npos) << finished.out;
  std::ifstream in(folder.path() / "short" / "rows.json");
  const auto row = nlohmann::json::parse(in).at(0);
  EXPECT_EQ(row["ranks"], 8);
  const auto measured = row["measured_s"].get<double>();
  const auto predicted = row["predicted_s"].get<double>();
  EXPECT_GT(measured, 0);
  EXPECT_GT(predicted, 0);
  EXPECT_DOUBLE_EQ(row["relative_error"].get<double>(), (predicted - measured) / measured);

  const testing::TemporaryFolder empty;
  // Once it has begun: Python itself is begun by then.
  const Finished interrupted = run({"sh", "-c", R"("$0" short --runs "$1" --cleave "$2" &
                         until [ -d "$1/short" ]; do sleep 0.01; done; kill -INT $!; wait $!)"},
                                   {kReferee + "/judge", empty.path(), CLEAVE_PROGRAM});
  EXPECT_EQ(interrupted.status, 128 + SIGINT);
  EXPECT_EQ(interrupted.err.find("Traceback"), std::string::npos) << interrupted.err;
  EXPECT_EQ(run({kReferee + "/judge"}, {"nothing"}).status, 2);
}

TEST(OneHost, RunsThatWereHeldOutAreSummarised) {
  const testing::TemporaryFolder folder;
  const Finished finished =
      run({kReferee + "/one_host"}, {"short", "--runs", folder.path(), "--cleave", CLEAVE_PROGRAM});
  ASSERT_EQ(finished.status, 0) << finished.err;
  std::ifstream in(folder.path() / "rows.json");
  const nlohmann::json by_way = nlohmann::json::parse(in);
  EXPECT_EQ(by_way["rehearsed"]["short"].size(), 5U);
  const nlohmann::json& rows = by_way["beyond"]["short"];
  ASSERT_EQ(rows.size(), 1U) << "512K keys, four times beyond 128K";
  const nlohmann::json& row = rows[0];
  EXPECT_EQ(row["sizes"]["N"], 512 << 10);
  const auto measured = row["measured_s"].get<double>();
  EXPECT_GT(measured, 0);
  const auto predicted = row["predicted_s"].get<double>();
  EXPECT_NEAR(row["relative_error"].get<double>(), (predicted - measured) / measured, 1e-12);
  EXPECT_EQ(run({kReferee + "/one_host"}, {"nothing"}).status, 2);
}

TEST(Series, ThatFollowsALawIsCarriedOn) {
  const testing::TemporaryFolder folder;
  const std::string series = kReferee + "/series";
  EXPECT_EQ(run({series}, {folder.path()}).status, 1) << "a folder without series";
  std::ofstream table(folder.path() / "amdahl.csv");
  table << "# 1 s that nobody shares\nnodes,size,seconds\n";
  for (const int nodes : {1, 2, 4, 8, 16, 32, 64}) {
    table << nodes << ",1," << 1 + 100.0 / nodes << '\n';
  }
  table.close();
  const Finished finished =
      run({series}, {folder.path(), "--prefixes", "--json", "--cleave", CLEAVE_PROGRAM});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json judged = nlohmann::json::parse(finished.out);
  EXPECT_EQ(judged["all"]["series"], 1);
  EXPECT_EQ(judged["all"]["within_10_percent"], 1);
  EXPECT_EQ(judged["all"]["hold"], judged["all"]["rows"]);
  EXPECT_EQ(judged["by_reach"]["2"]["rows"], 4) << "8 nodes by 4, and so on to 64 by 32";
  const std::string printed = run({series}, {folder.path(), "--cleave", CLEAVE_PROGRAM}).out;
  EXPECT_NE(printed.find("\n| all | 1 | "), std::string::npos) << printed;
}

TEST(Series, OfAGridIsNarrowedByTheRunThatIsNamed) {
  const testing::TemporaryFolder folder;
  std::ofstream table(folder.path() / "grid.csv");
  table << "nodes,size,seconds\n";
  for (const int nodes : {1, 2, 4, 8, 16, 32, 64}) {
    for (const double side : {64, 128, 256}) {
      table << nodes << ',' << side << ',' << 1e-6 * side * side * side / nodes + 1e-3 * side
            << '\n';
    }
  }
  table.close();
  const Finished finished =
      run({kReferee + "/series"}, {folder.path(), "--json", "--cleave", CLEAVE_PROGRAM});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const nlohmann::json judged = nlohmann::json::parse(finished.out);
  const nlohmann::json& before = judged["before_next_run"];
  const nlohmann::json& after = judged["after_next_run"];
  EXPECT_EQ(before["rows"], 3) << "64 nodes at each size";
  EXPECT_EQ(after["rows"], 3);
  EXPECT_LT(after["half_width"], before["half_width"]);
  EXPECT_LT(after["worst"], before["worst"]);
  EXPECT_EQ(after["hold"], 3);
}

TEST(Paper, TablesOfBothApplicationsAreOnOnePage) {
  const Finished finished = run({kReferee + "/paper"}, {CLEAVE_BUILD, "--short"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  std::istringstream in(finished.out);
  std::map<std::string, int> starts;
  for (std::string line; std::getline(in, line);) {
    ++starts[line.substr(0, line.find('|', 1))];
  }
  for (const char* app : {"Components", "Quicksort"}) {
    EXPECT_EQ(starts[app + std::string(": coefficients")], 1) << finished.out;
    EXPECT_EQ(starts[app + std::string(": times")], 1) << finished.out;
  }
  for (const char* block : {"| tau_Div ", "| tau_Comb ", "| tau_Seq "}) {
    EXPECT_EQ(starts[block], 2) << block;
  }
  EXPECT_EQ(starts["| fitted "], 2 * (9 + 5)) << "graphs and lists of keys on 1 and 2 ranks";
  EXPECT_EQ(starts["| held out "], 2 * (3 + 2));
  EXPECT_EQ(run({kReferee + "/paper"}, {"none"}).status, 2) << "a folder without programs";
}

}  // namespace
}  // namespace cleave
