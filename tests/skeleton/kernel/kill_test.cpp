// SPDX-License-Identifier: Apache-2.0
// Runs of cleave-uts that are killed or told to stop from outside. The same command with --resume,
// on another number of ranks, then counts exactly. The runs that are stopped sleep before every
// batch of visits, so they take hardly any processor time and would go on for an hour.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

constexpr const char* kTree = "prins:T3";
constexpr std::int64_t kNodes = 5'529'089;  // Prins et al., 2003

std::vector<std::string> command(int ranks, int threads, const std::filesystem::path& folder) {
  return {CLEAVE_MPIEXEC,
          "-n",
          std::to_string(ranks),
          std::string(CLEAVE_INSTRUMENTED) + "/cleave-uts",
          "--tree",
          kTree,
          "--threads",
          std::to_string(threads),
          "--json",
          "--checkpoint",
          folder.string(),
          "--checkpoint-every",
          "0.1"};
}

/// The processes of `program` that were told of `folder`.
std::vector<pid_t> processes_of(const std::string& program, const std::filesystem::path& folder) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    std::ifstream stream(entry.path() / "cmdline");
    std::stringstream line;
    line << stream.rdbuf();
    const std::string text = line.str();
    if (text.starts_with(program) && text.find(folder.string()) != std::string::npos) {
      found.push_back(static_cast<pid_t>(std::stoi(name)));
    }
  }
  return found;
}

/// The newest snapshot in the folder of a search that has a manifest, which makes it valid.
int newest_snapshot(const std::filesystem::path& folder) {
  int newest = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".json")) {
      newest = std::max(newest, std::stoi(name.substr(name.find_first_of("0123456789"))));
    }
  }
  return newest;
}

/// A run on `ranks` x `threads` that does not end by itself.
class SlowRun {
 public:
  SlowRun(int ranks, int threads, std::filesystem::path folder) : folder_(std::move(folder)) {
    std::vector<std::string> words = command(ranks, threads, folder_);
    for (int rank = 0; rank < ranks; ++rank) {
      words.insert(words.end(), {"--inject", "delay:rank=" + std::to_string(rank) +
                                                 ",level=0,block=sequential,ms=1"});
    }
    finished_ = std::async(std::launch::async, [words] {
      return testing::run_program(words, {}, std::chrono::seconds(120));
    });
  }

  /// \return  false if the run has ended before
  bool wait_for_snapshot() {
    while (newest_snapshot(folder_) == 0) {
      if (finished_.wait_for(std::chrono::milliseconds(2)) == std::future_status::ready) {
        return false;
      }
    }
    return true;
  }

  std::vector<pid_t> ranks() const {
    return processes_of(std::string(CLEAVE_INSTRUMENTED) + "/cleave-uts", folder_);
  }
  pid_t launcher() const { return processes_of(CLEAVE_MPIEXEC, folder_).at(0); }

  testing::Finished finished() { return finished_.get(); }

 private:
  std::filesystem::path folder_;
  std::future<testing::Finished> finished_;
};

/// Resumes on `ranks` x `threads`, to the end. \return  the snapshot that it began with, or 0
int resume_to_the_end(int ranks, int threads, const std::filesystem::path& folder) {
  std::vector<std::string> words = command(ranks, threads, folder);
  words.emplace_back("--resume");
  const auto finished = testing::run_program(words, {}, std::chrono::seconds(120));
  EXPECT_FALSE(finished.timed_out);
  const auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << finished.err;
    return 0;
  }
  EXPECT_EQ(json["nodes"], kNodes);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "snapshots of a search that is done";
  return json["resumed_from"].is_null() ? 0 : json["resumed_from"].get<int>();
}

TEST(Kill, AKilledSearchEndsWithTheRightCountOnOtherRanks) {
  for (const bool all : {false, true}) {
    const testing::TemporaryFolder folder;
    SlowRun run(4, 1, folder.path());
    EXPECT_TRUE(run.wait_for_snapshot());
    std::vector<pid_t> killed = run.ranks();
    killed.resize(all ? killed.size() : 1);
    for (const pid_t rank : killed) {
      ::kill(rank, SIGKILL);
    }
    const testing::Finished finished = run.finished();
    EXPECT_FALSE(finished.timed_out);
    EXPECT_NE(finished.status, 0);
    const int newest = newest_snapshot(folder.path());
    EXPECT_EQ(resume_to_the_end(all ? 5 : 3, 1, folder.path()), newest);
  }
}

/// A signal, as a batch system or Ctrl-C sends it.
class Stop : public ::testing::TestWithParam<int> {
 protected:
  /// Stops a run, by its launcher or all of its ranks, and resumes it. \return  its exit status
  static int stop_and_resume(int ranks, int threads, bool by_launcher) {
    SCOPED_TRACE(std::to_string(ranks) + " x " + std::to_string(threads));
    const testing::TemporaryFolder folder;
    SlowRun run(ranks, threads, folder.path());
    EXPECT_TRUE(run.wait_for_snapshot());
    for (const pid_t process : by_launcher ? std::vector{run.launcher()} : run.ranks()) {
      ::kill(process, GetParam());
    }
    const testing::Finished stopped = run.finished();
    EXPECT_FALSE(stopped.timed_out);
    EXPECT_NE(stopped.err.find("cleave-uts: stopped before the search was done; " +
                               folder.path().string() + " holds a snapshot\n"),
              std::string::npos)
        << stopped.err;
    const auto found = nlohmann::json::parse(stopped.out, nullptr, false);
    EXPECT_TRUE(found.is_object() || by_launcher) << stopped.out;  // which may drop what ranks say
    if (found.is_object()) {
      EXPECT_LT(found["nodes"], kNodes);  // so far
      EXPECT_FALSE(found.contains("verified"));
    }
    EXPECT_GT(resume_to_the_end(5 - ranks, 3 - threads, folder.path()), 1);
    return stopped.status;
  }
};

TEST_P(Stop, EndsWithASnapshotAndAMessageAndIsResumedExactly) {
  for (const int ranks : {1, 2, 4}) {
    for (const int threads : {1, 2}) {
      EXPECT_EQ(stop_and_resume(ranks, threads, false), 75);
    }
  }
}

// MPICH's launcher, when it is sent the signal, may itself end with 0 whatever the ranks end with.
TEST_P(Stop, IsPassedOnByTheLauncher) { stop_and_resume(4, 1, true); }

INSTANTIATE_TEST_SUITE_P(BySignal, Stop, ::testing::Values(SIGTERM, SIGINT));

}  // namespace
}  // namespace cleave
