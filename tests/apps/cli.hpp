// SPDX-License-Identifier: Apache-2.0
// Runs the applications as a person does, under mpiexec, and looks at what they print.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/any_ranks.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::testing {

using Arguments = std::vector<std::string>;

inline const std::string kPrograms = CLEAVE_PROGRAMS;
inline const std::string kInstrumented = CLEAVE_INSTRUMENTED;
inline const std::vector<int> kRanks = any_ranks();

/// A program with tests/instruments, if the arguments begin with an option of theirs.
inline Finished run(int ranks, const std::string& program, const Arguments& arguments) {
  const bool is_disturbed =
      !arguments.empty() && (arguments[0] == "--inject" || arguments[0] == "--dilate");
  std::vector<std::string> command = {
      CLEAVE_MPIEXEC, "-n", std::to_string(ranks),
      (is_disturbed ? kInstrumented : kPrograms) + "/cleave-" + program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Finished finished = run_program(command);
  finished.err = without_launcher(finished.err);
  return finished;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Runs with --verify --json and returns the object printed, which must be all that is printed.
inline nlohmann::json verified(int ranks, const std::string& program, Arguments arguments) {
  arguments.insert(arguments.end(), {"--verify", "--json", "--repetitions", "2"});
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks: " + finished.err);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(lines_of(finished.out).size(), 1U);
  auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "not a JSON object: " << finished.out;
    return nlohmann::json::object();
  }
  EXPECT_EQ(json["app"], program);
  EXPECT_EQ(json["ranks"], ranks);
  EXPECT_EQ(json["threads"], 1);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["seconds"].size(), 2U);
  for (const auto& seconds : json["seconds"]) {
    EXPECT_GT(seconds.get<double>(), 0);
  }
  return json;
}

/// Runs once with --json and returns the object printed.
inline nlohmann::json once(int ranks, const std::string& program, Arguments arguments) {
  arguments.insert(arguments.end(), {"--json", "--repetitions", "1", "--warm-up", "0"});
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks: " + finished.err);
  EXPECT_EQ(finished.status, 0);
  auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object()) {
    ADD_FAILURE() << "not a JSON object: " << finished.out;
    return nlohmann::json::object();
  }
  return json;
}

/// Expects a failure that is told in one line on standard error, and in nothing else.
inline void expect_failure(int ranks, const std::string& program, const Arguments& arguments,
                           int status, const std::string& line) {
  const Finished finished = run(ranks, program, arguments);
  SCOPED_TRACE(program + " " + ::testing::PrintToString(arguments));
  EXPECT_FALSE(finished.timed_out);
  EXPECT_EQ(finished.status, status);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(lines_of(finished.err), Arguments{"cleave-" + program + ": " + line});
}

/// The same figures on any number of ranks, by either placement, and on one rank alone.
inline void expect_same_on_any_ranks(const std::string& program, const Arguments& arguments,
                                     const std::vector<std::string>& figures) {
  const auto with = [&arguments](const Arguments& more) {
    Arguments all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto expected = verified(1, program, with({"--type", "sequential"}));
  const auto compare = [&](const nlohmann::json& json) {
    for (const std::string& figure : figures) {
      EXPECT_EQ(json.value(figure, nlohmann::json()), expected.value(figure, nlohmann::json()))
          << figure;
    }
  };
  for (const int ranks : kRanks) {
    compare(verified(ranks, program, arguments));
  }
  compare(verified(3, program, with({"--type", "sequential"})));
  compare(verified(4, program, with({"--placement", "rooted"})));
  compare(verified(5, program, with({"--placement", "rooted"})));
}

}  // namespace cleave::testing
