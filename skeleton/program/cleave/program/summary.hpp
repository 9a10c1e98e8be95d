// SPDX-License-Identifier: Apache-2.0
// Everything that is told of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/program/measure.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

struct Summary {
  std::string app;
  std::vector<int> rehearsed;  ///< these ranks without messages, in place of a run
  std::vector<double> seconds;
  double input_s = 0;   ///< to read or make the problem, which `seconds` leave out
  double output_s = 0;  ///< to write the result, the same
  bool reads_input = false;
  Sizes sizes;
  std::optional<double> imbalance;
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  std::optional<bool> verified;
  std::optional<std::string> ended_early;  ///< why the figures are those of a part of the search
};

/// Adds the nodes a second, what the workers of a search did, and its snapshots; the imbalance is
/// then over workers. Its efficiency is the share of their time in visits.
void add_search_figures(Summary& summary, const SearchReport& report, const RunOptions& options);

/// Prints `summary` to standard output: one line of JSON, or some lines for people.
/// \throws Error  if it cannot be written
void print_summary(const Summary& summary, const RunOptions& options);

/// Prints a line each to standard error, unless --quiet.
void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options);

}  // namespace cleave::detail
