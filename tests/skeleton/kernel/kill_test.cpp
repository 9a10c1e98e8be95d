// SPDX-License-Identifier: Apache-2.0
// Runs of cleave-uts that are killed or told to stop from outside, at random moments, among them
// those at which a snapshot is being written. The same command with --resume, on another number of
// ranks, must then count exactly. The runs that are stopped sleep before every batch of visits, so
// they take hardly any processor time and would go on for an hour.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

using std::chrono::milliseconds;

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

/// What lies in the folder of a search.
struct Folder {
  int newest_snapshot = 0;      ///< with a manifest, which makes it valid
  bool has_unfinished = false;  ///< a part or a manifest of a newer one

  explicit Folder(const std::filesystem::path& folder) {
    int newest = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name == "cleave-snapshot.lock") {
        continue;
      }
      const int generation = std::stoi(name.substr(name.find_first_of("0123456789")));
      newest = std::max(newest, generation);
      if (name.ends_with(".json")) {
        newest_snapshot = std::max(newest_snapshot, generation);
      }
    }
    has_unfinished = newest > newest_snapshot;
  }
};

/// A run on `ranks` x `threads` that does not end by itself.
class SlowRun {
 public:
  SlowRun(int ranks, int threads, std::filesystem::path folder, bool resume = false)
      : folder_(std::move(folder)) {
    std::vector<std::string> words = command(ranks, threads, folder_);
    for (int rank = 0; rank < ranks; ++rank) {
      words.insert(words.end(), {"--inject", "delay:rank=" + std::to_string(rank) +
                                                 ",level=0,block=sequential,ms=1"});
    }
    if (resume) {
      words.emplace_back("--resume");
    }
    finished_ = std::async(std::launch::async, [words] {
      return testing::run_program(words, {}, std::chrono::seconds(120));
    });
  }

  /// Looks every `interval` until `is_so`. \return  false if the run has ended before
  bool wait_until(const std::function<bool()>& is_so,
                  std::chrono::microseconds interval = milliseconds(2)) {
    while (!is_so()) {
      if (finished_.wait_for(interval) == std::future_status::ready) {
        return false;
      }
    }
    return true;
  }

  bool wait_until_started() {
    return wait_until([this] { return !ranks().empty(); });
  }
  bool wait_for_snapshot(int newer_than = 0) {
    return wait_until([=, this] { return Folder(folder_).newest_snapshot > newer_than; });
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

enum class Moment { before_a_snapshot, any, while_one_is_written, after_one };

/// Kills one rank of a slow run, or all of them.
void kill_run(SlowRun& run, const std::filesystem::path& folder, Moment moment, bool all,
              std::mt19937& random) {
  bool is_running = run.wait_until_started();
  if (moment != Moment::before_a_snapshot) {
    is_running = is_running && run.wait_for_snapshot();
    std::this_thread::sleep_for(milliseconds(random() % 250));
  }
  const int newest = Folder(folder).newest_snapshot;
  const std::vector<pid_t> ranks = run.ranks();
  if (moment == Moment::while_one_is_written) {
    is_running = is_running && run.wait_until([&] { return Folder(folder).has_unfinished; },
                                              std::chrono::microseconds(20));
  } else if (moment == Moment::after_one) {
    is_running = is_running && run.wait_for_snapshot(newest);
  }
  const std::size_t first = ranks.empty() ? 0 : random() % ranks.size();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (all || i == first) {
      ::kill(ranks[i], SIGKILL);
    }
  }
  const testing::Finished killed = run.finished();
  EXPECT_TRUE(is_running) << killed.err;
  EXPECT_FALSE(killed.timed_out);
  EXPECT_NE(killed.status, 0);
}

/// Resumes on `ranks` x `threads` and runs to the end. \return  the snapshot that it began with, or
/// 0
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
  constexpr int kTimes = 6;
  constexpr int kOtherRanks[] = {1, 2, 3, 5};
  std::mt19937 random(11);
  for (int i = 0; i < kTimes; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    const testing::TemporaryFolder folder;
    const Moment moment = i % 20 == 3  ? Moment::before_a_snapshot
                          : i % 3 == 0 ? Moment::any
                          : i % 3 == 1 ? Moment::while_one_is_written
                                       : Moment::after_one;
    SlowRun run(4, 1, folder.path());
    kill_run(run, folder.path(), moment, i % 2 == 0, random);
    if (i % 5 == 4) {
      SlowRun again(3, 1, folder.path(), true);
      kill_run(again, folder.path(), Moment::any, true, random);
    }
    const int newest = Folder(folder.path()).newest_snapshot;
    const int resumed_from = resume_to_the_end(kOtherRanks[i % 4], 1, folder.path());
    EXPECT_EQ(resumed_from, newest);
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
