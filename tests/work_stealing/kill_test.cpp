// Ranks of cleave-uts are killed at random moments, among them those at which a snapshot is being
// written; the same command with --resume, on another number of ranks, must then count exactly.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

extern char** environ;

namespace cleave {
namespace {

// 58,969,185 nodes by two traversals, with and without work stealing; hashed eight times each, 8 s
// on one idle core.
const std::string kTree = "prins:n=50000,q=0.1249,m=8";
constexpr std::int64_t kNodes = 58'969'185;

std::vector<std::string> command(int ranks, const std::filesystem::path& folder, bool resume) {
  std::vector<std::string> words = {CLEAVE_MPIEXEC,
                                    "-n",
                                    std::to_string(ranks),
                                    std::string(CLEAVE_PROGRAMS) + "/cleave-uts",
                                    "--tree",
                                    kTree,
                                    "-g",
                                    "8",
                                    "--json",
                                    "--checkpoint",
                                    folder.string(),
                                    "--checkpoint-every",
                                    "0.2"};
  if (resume) {
    words.push_back("--resume");
  }
  return words;
}

/// The processes of cleave-uts that write to `folder`.
std::vector<pid_t> ranks_writing_to(const std::filesystem::path& folder) {
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
    if (text.starts_with(CLEAVE_PROGRAMS) && text.find(folder.string()) != std::string::npos) {
      found.push_back(static_cast<pid_t>(std::stoi(name)));
    }
  }
  return found;
}

/// Starts a run and kills one of its ranks, or all, after `moment`. \return  whether it was alive
bool start_and_kill(int ranks, const std::filesystem::path& folder, bool resume,
                    std::chrono::milliseconds moment, bool all) {
  std::vector<std::string> words = command(ranks, folder, resume);
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&quiet, STDOUT_FILENO, STDERR_FILENO);
  pid_t launcher = 0;
  if (::posix_spawnp(&launcher, argv[0], &quiet, nullptr, argv.data(), environ) != 0) {
    ADD_FAILURE() << "cannot start " << words[0];
    return false;
  }
  posix_spawn_file_actions_destroy(&quiet);
  std::this_thread::sleep_for(moment);
  const std::vector<pid_t> victims = ranks_writing_to(folder);
  for (std::size_t i = 0; i < victims.size(); ++i) {
    if (all || i == static_cast<std::size_t>(moment.count()) % victims.size()) {
      ::kill(victims[i], SIGKILL);
    }
  }
  int status = 0;
  ::waitpid(launcher, &status, 0);
  return !victims.empty();
}

/// \return  how many runs were resumed from a snapshot
int kill_and_resume(int times) {
  std::mt19937 random(11);
  int resumed = 0;
  for (int i = 0; i < times; ++i) {
    const testing::TemporaryFolder folder;
    const std::chrono::milliseconds moment(600 + random() % 1500);
    EXPECT_TRUE(start_and_kill(4, folder.path(), false, moment, i % 3 == 0));
    if (i % 4 == 1) {  // killed twice
      start_and_kill(3, folder.path(), true, std::chrono::milliseconds(300 + random() % 800), true);
    }
    constexpr int kOtherRanks[] = {1, 2, 3, 5};
    const auto finished = testing::run_program(command(kOtherRanks[i % 4], folder.path(), true), {},
                                               std::chrono::seconds(200));
    const auto json = nlohmann::json::parse(finished.out, nullptr, false);
    if (!json.is_object()) {
      ADD_FAILURE() << "kill " << i << ": " << finished.err;
      continue;
    }
    EXPECT_EQ(json["nodes"], kNodes) << "kill " << i;
    resumed += json["resumed_from"].is_null() ? 0 : 1;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "snapshots of a search that is done";
  }
  return resumed;
}

TEST(Kill, AKilledSearchEndsWithTheRightCountOnOtherRanks) { kill_and_resume(3); }

TEST(Kill, DISABLED_AHundredKillsMostlyResumedFromASnapshot) {
  EXPECT_GE(kill_and_resume(100), 90);
}

}  // namespace
}  // namespace cleave
