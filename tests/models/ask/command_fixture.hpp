// SPDX-License-Identifier: Apache-2.0
// Runs the program `cleave` in a temporary folder, as a person would.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/machine_file.hpp>

#include "tests/models/synthetic_runs.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;

namespace fs = std::filesystem;

using Result = cleave::testing::Finished;

inline Machine some_machine() {
  Communication entry{.ranks = 2, .latency_s = 2e-6, .gap_s_per_byte = 5e-11, .r_squared = 1};
  return {.name = "test", .exchange = {entry}, .provenance = provenance_here("test", "", "none")};
}

class Command : public ::testing::Test {
 protected:
  Result run(const std::string& arguments, const std::string& program = CLEAVE_PROGRAM) const {
    return cleave::testing::run_program(
        {"sh", "-c", fmt::format("cd '{}' && {} {}", folder_.string(), program, arguments)}, {},
        std::chrono::seconds(100));
  }

  /// Writes traces of sort on 1 and 2 ranks; returns their names.
  std::string write_traces() const {
    std::string names;
    int index = 0;
    SyntheticApp app;
    app.noise = 0.01;
    for (const Trace& trace : synthetic_traces(app, {1, 2}, sort_sizes())) {
      const std::string name = fmt::format("{}.trace.jsonl", index++);
      write_synthetic_trace(folder_ / name, trace);
      names += " " + name;
    }
    return names;
  }

  void expect_one_line(const Result& result, int status, const std::string& part) const {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_TRUE(result.err.starts_with("cleave: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
    }
  }

  /// The files in a folder of this one, by name.
  std::vector<fs::path> files_in(const std::string& folder) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_ / folder)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  void make_executable(const fs::path& file, const std::string& text) const {
    write_file(file, text);
    fs::permissions(file, fs::perms::owner_all);
  }

  /// A folder with cleave, an application cleave-sort and a launcher, as an installation has.
  std::string install() const {
    fs::copy_file(CLEAVE_PROGRAM, folder_ / "cleave");
    fs::copy_file(SYNTHETIC_PROGRAM, folder_ / "cleave-sort");
    make_executable(folder_ / "launch",
                    "#!/bin/sh\nranks=$1\nshift\nexec \"$@\" --ranks \"$ranks\"\n");
    write_machine(folder_ / "m.machine.json", some_machine());
    return fmt::format(
        "study sort --launcher '{}/launch {{ranks}}' --sizes N=1M N=2M "
        "N=4M N=8M N=16M N=32M --rounds 2",
        folder_.string());
  }

  const cleave::testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

/// `text` with one blank for all blanks and ends of lines in a row: as sentences are written.
inline std::string words_of(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) {
    all += all.empty() ? word : ' ' + word;
  }
  return all;
}

inline void expect_fits_a_terminal(const Result& result) {
  EXPECT_FALSE(result.out.empty()) << result.err;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const auto characters = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });  // of UTF-8
    EXPECT_LE(characters, 80) << line;
  }
}

}  // namespace cleave::models
