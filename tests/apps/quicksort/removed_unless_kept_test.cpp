// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/removed_unless_kept.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <cleave/file.hpp>

#include "tests/support/killed_after.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::quicksort {
namespace {

using ::cleave::testing::killed_after;
using ::cleave::testing::TemporaryFolder;

TEST(RemovedUnlessKept, IsRemovedOnceItsProcessIsKilled) {
  const TemporaryFolder folder;
  write_file(folder / "x", "half");
  killed_after([&] {
    const RemovedUnlessKept unfinished(folder / "x");
    ::raise(SIGKILL);
  });
  for (int tries = 0; tries < 500 && std::filesystem::exists(folder / "x"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST(RemovedUnlessKept, StaysIfItIsKept) {
  const TemporaryFolder folder;
  write_file(folder / "kept", "whole");
  write_file(folder / "not kept", "half");
  {
    RemovedUnlessKept finished(folder / "kept");
    const RemovedUnlessKept unfinished(folder / "not kept");
    finished.keep();
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "kept"));
  EXPECT_FALSE(std::filesystem::exists(folder / "not kept"));
}

}  // namespace
}  // namespace cleave::quicksort
