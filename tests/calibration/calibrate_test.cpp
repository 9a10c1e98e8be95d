// SPDX-License-Identifier: Apache-2.0
// cleave-calibrate as a person runs it: what it measures, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>

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

TEST(Calibrate, MeasuresTheMessagesThatAreAskedFor) {
  for (const int ranks : {2, 3}) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "here.machine.json";
    const Finished finished =
        calibrate(ranks, {"--largest", "16K", "--seconds", "0.3", "--out", file});
    ASSERT_EQ(finished.status, 0) << finished.err;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80U) << line;
    }
    const Machine machine = read_machine(file);
    ASSERT_FALSE(machine.exchange.empty());
    for (const Communication& exchange : machine.exchange) {
      EXPECT_EQ(exchange.samples.front().message_bytes, 8);
      EXPECT_EQ(exchange.samples.back().message_bytes, 16 << 10);
    }
  }
}

TEST(Calibrate, MeasuresTheMessagesOfACallAsAModelHasThem) {
  const TemporaryFolder folder;
  const std::string messages = folder.path() / "messages.trace.jsonl";
  const Finished finished = calibrate(
      2, {"--like", CLEAVE_MODEL, "--size", "N=64K", "--seconds", "0.1", "--out", messages});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_TRUE(finished.out.starts_with("messages of quicksort, N=64K on 2 ranks: "))
      << finished.out;
  int exchanges = 0;
  for (const auto& [rank, span] : read_trace(messages).spans) {
    exchanges += span.block == Block::exchange ? 1 : 0;
    // Each rank sends half of its keys, of four bytes.
    EXPECT_TRUE(span.block != Block::exchange || span.bytes == 4 * (1 << 14)) << span.bytes;
  }
  EXPECT_GT(exchanges, 0);
}

TEST(Calibrate, RefusesWhatItCannotMeasureInOneLine) {
  for (const auto& [arguments, named] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--largest", "much"}, "--largest: 'much'"},
           {{"--largest", "1K"}, "--largest: '1K' is out of range: at least 4K"},
           {{"--size", "N=1M"}, "--like and --size go together"},
           {{"--like", "x.model.json"}, "--like and --size go together"},
           {{"--like", "x.model.json", "--size", "N=1M"}, "--like needs --out"},
           {{"--like", "none.model.json", "--size", "N=1M", "--out", "x"}, "none.model.json"}}) {
    const Finished finished = calibrate(2, arguments);
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.err.find(named), std::string::npos) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }
}

/// All ranks agree on it: one that waited for the others in vain would abort them, in more lines.
TEST(Calibrate, ThatCannotWriteItsAnswerSaysSoAndEndsAtOnce) {
  const TemporaryFolder folder;
  const std::string measured = "--largest 4K --seconds 0.1";
  for (const std::string& arguments : {measured, std::string("--help"),
                                       "--like " CLEAVE_MODEL " --size N=64K --seconds 0.1 --out " +
                                           folder.path().string() + "/m.trace.jsonl"}) {
    SCOPED_TRACE(arguments);
    const std::string command = std::string("exec ") + CLEAVE_MPIEXEC + " -n 2 sh -c 'exec " +
                                CLEAVE_PROGRAMS + "/cleave-calibrate " + arguments + " >/dev/full'";
    const Finished finished = testing::run_program({"sh", "-c", command});
    const std::string err = testing::without_launcher(finished.err);
    EXPECT_NE(finished.status, 0);
    EXPECT_EQ(err, "cleave-calibrate: cannot write to standard output\n");
  }
}

}  // namespace
}  // namespace cleave::calibration
