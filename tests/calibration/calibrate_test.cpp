// SPDX-License-Identifier: Apache-2.0
// cleave-calibrate as a person runs it: what it measures, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <cleave/trace/machine_file.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::calibration {

using namespace cleave::detail;
namespace {

using testing::Finished;
using testing::TemporaryFolder;

Finished calibrate(int ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {CLEAVE_MPIEXEC, "-n", std::to_string(ranks),
                                      std::string(CLEAVE_PROGRAMS) + "/cleave-calibrate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Finished finished = testing::run_program(command);
  finished.err = testing::without_launcher(finished.err);
  return finished;
}

TEST(Calibrate, MeasuresThePatternsAndMessagesThatAreAskedFor) {
  for (const int ranks : {2, 3}) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "here.machine.json";
    const Finished finished = calibrate(
        ranks, {"--patterns", "exchange", "--largest", "16K", "--seconds", "0.3", "--out", file});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const Machine machine = read_machine(file);
    EXPECT_TRUE(machine.alltoallv.empty());
    ASSERT_FALSE(machine.exchange.empty());
    for (const Communication& exchange : machine.exchange) {
      EXPECT_EQ(exchange.samples.front().message_bytes, 8);
      EXPECT_EQ(exchange.samples.back().message_bytes, 16 << 10);
    }
  }
}

TEST(Calibrate, RefusesWhatItCannotMeasureInOneLine) {
  for (const auto& [arguments, named] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--largest", "much"}, "--largest: 'much'"},
           {{"--largest", "1K"}, "--largest: '1K' is out of range: at least 4K"},
           {{"--patterns", "ring"}, "ring"},
           {{"--ranks", "5"}, "--ranks: 5 is not from 2 to the 2 ranks"},
           {{"--size", "N=1M"}, "--size goes with --like"},
           {{"--like", "x.model.json"}, "--like needs --size and --out"},
           {{"--like", "x.model.json", "--size", "N=1M", "--out", "x", "--ranks", "4"},
            "--ranks: with --like all that were started, 2"},
           {{"--like", "none.model.json", "--size", "N=1M", "--out", "x"}, "none.model.json"}}) {
    const Finished finished = calibrate(2, arguments);
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.err.find(named), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

}  // namespace
}  // namespace cleave::calibration
