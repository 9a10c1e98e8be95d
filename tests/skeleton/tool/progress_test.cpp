// SPDX-License-Identifier: Apache-2.0
// What is told of long work, and where.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/tool/progress.hpp>

#include "tests/support/temporary_folder.hpp"

namespace cleave::detail {
namespace {

using cleave::testing::TemporaryFolder;

nlohmann::json status_in(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

TEST(Progress, KeepsItsStatusInAFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "status.json";
  std::atomic<int> looks = 0;
  {
    Progress progress("sort", {.on_terminal = false, .status_file = file}, [&] {
      ++looks;
      return Moment{.fraction = 0.25, .step = "run 2 of 8", .remaining_s = Range{3, 4}};
    });
    while (looks < 2) {  // the first is written then
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const auto running = status_in(file);
    EXPECT_EQ(running.at("format"), "cleave-status");
    EXPECT_EQ(running.at("state"), "running");
    EXPECT_EQ(running.at("fraction"), 0.25);
    EXPECT_EQ(running.at("remaining_s"), nlohmann::json({3, 4}));
    EXPECT_EQ(running.at("step"), "run 2 of 8");
    EXPECT_EQ(running.at("process"), ::getpid());
    progress.end();
  }
  const auto done = status_in(file);
  EXPECT_EQ(done.at("state"), "done");
  EXPECT_EQ(done.at("fraction"), 1);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".partial"));
}

TEST(Progress, ThatDoesNotEndIsStopped) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "status.json";
  {
    const Progress progress("sort", {.on_terminal = false, .status_file = file},
                            [] { return Moment{}; });
  }
  EXPECT_EQ(status_in(file).at("state"), "stopped");
  EXPECT_EQ(status_in(file).at("remaining_s"), nullptr);
}

TEST(Progress, DrawsABarWhereOneIsAskedForAndClearsIt) {
  ::setenv("CLEAVE_PROGRESS", "bar", 1);
  ::testing::internal::CaptureStderr();
  {
    std::atomic<int> looks = 0;
    Progress progress("sort", {}, [&] {
      ++looks;
      return Moment{.fraction = 0.25, .step = "run 2 of 8"};
    });
    while (looks < 6) {  // the first four are of a moment
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    progress.end();
  }
  const std::string drawn = ::testing::internal::GetCapturedStderr();
  ::unsetenv("CLEAVE_PROGRESS");
  EXPECT_EQ(drawn.find("\r\033[Ksort [=====               ] 25 %, "), 0U) << drawn;
  EXPECT_TRUE(drawn.ends_with("\r\033[K")) << drawn;
}

TEST(SteadyProgress, SaysWhenItEndsOnceATenthIsDone) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "status.json";
  const auto remaining_at = [&](double fraction) {
    {
      SteadyProgress progress("fit", {.on_terminal = false, .status_file = file});
      progress.update(fraction, "reading");
    }
    EXPECT_EQ(status_in(file).at("state"), "stopped");
    EXPECT_EQ(status_in(file).at("fraction"), fraction);
    EXPECT_EQ(status_in(file).at("step"), "reading");
    return status_in(file).at("remaining_s");
  };
  EXPECT_EQ(remaining_at(0.05), nullptr);
  EXPECT_EQ(remaining_at(0.5).size(), 2U);
}

TEST(Progress, RefusesAStatusFileThatCannotBe) {
  EXPECT_THROW(Progress("sort", {.on_terminal = false, .status_file = "/no/such/folder/status"},
                        [] { return Moment{}; }),
               FileError);
  EXPECT_THROW(
      Progress("sort", {.on_terminal = false, .status_file = "-"}, [] { return Moment{}; }),
      UsageError);
}

TEST(Progress, SaysHowFarAndHowLong) {
  EXPECT_EQ("cleave-uts: " + text_of({.fraction = 0.35,
                                      .step = "run 3 of 6",
                                      .remaining_s = Range{198, 288},
                                      .visits = 3.4e8,
                                      .visits_per_second = 2.51e6},
                                     130),
            "cleave-uts: 35 %, 2 min 10 s gone, 3.3 to 4.8 min to go, 340 M visits, 2.51 M/s: "
            "run 3 of 6");
  EXPECT_EQ(text_of({.fraction = 0, .visits = 1e7, .visits_per_second = 2.5e6}, 4),
            "0 %, 4 s gone, end not known, 10 M visits, 2.5 M/s");
}

}  // namespace
}  // namespace cleave::detail
