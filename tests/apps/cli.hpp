// SPDX-License-Identifier: Apache-2.0
// Runs the applications as a person does, under mpiexec, and looks at what they print.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/any_ranks.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::testing {

using nlohmann::json;

inline const std::string kPrograms = CLEAVE_PROGRAMS;
inline const std::vector<int> kRanks = any_ranks();
inline const std::vector<int> kFewRanks = any_ranks({1, 2, 3});

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Runs a command such as "uts --tree T1" or "cleave-uts", of words without blanks, on `ranks`
/// ranks.
inline Finished run(int ranks, const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words = {CLEAVE_MPIEXEC, "-n", std::to_string(ranks)};
  const bool is_full = command.starts_with("example-") || command.starts_with('/');
  words.push_back(command.starts_with('/') ? "" : kPrograms + (is_full ? "/" : "/cleave-"));
  std::string program;
  stream >> program;
  words.back() += program;
  words.insert(words.end(), std::istream_iterator<std::string>(stream), {});
  Finished finished = run_program(words, {}, std::chrono::seconds(200));
  finished.err = without_launcher(finished.err);
  return finished;
}

/// Runs with --json and returns the object that is printed, alone on one line.
inline json json_of(int ranks, const std::string& command, int status = 0) {
  const Finished finished = run(ranks, command + " --json");
  EXPECT_EQ(finished.status, status) << command << " on " << ranks << ": " << finished.err;
  EXPECT_EQ(finished.err.find("not deterministic"), std::string::npos) << finished.err;
  EXPECT_EQ(lines_of(finished.out).size(), 1U);
  auto printed = json::parse(finished.out, nullptr, false);
  if (!printed.is_object()) {
    ADD_FAILURE() << command << ": not a JSON object: " << finished.out;
    return json::object();
  }
  return printed;
}

inline json once(int ranks, const std::string& command) {
  return json_of(ranks, command + " --repetitions 1 --warm-up 0");
}

/// Runs twice with --verify.
inline json verified(int ranks, const std::string& command) {
  const json printed = json_of(ranks, command + " --verify --repetitions 2");
  SCOPED_TRACE(command + ": " + printed.dump());
  EXPECT_EQ(printed.value("app", ""), command.substr(0, command.find(' ')));
  EXPECT_EQ(printed.value("ranks", 0), ranks);
  EXPECT_TRUE(printed.value("verified", false));
  const auto seconds = printed.value("seconds", std::vector<double>());
  EXPECT_EQ(seconds.size(), 2U);
  EXPECT_TRUE(std::ranges::all_of(seconds, [](double s) { return s > 0; }));
  return printed;
}

}  // namespace cleave::testing
