// SPDX-License-Identifier: Apache-2.0
// How every command answers: for people, as one JSON object on one line (--json), or by its status
// and files alone (--quiet).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/report/report.hpp"
#include "models/theory/network.hpp"
#include "models/theory/prediction_json.hpp"

namespace cleave::models {

using Json = nlohmann::ordered_json;

/// What --details is for, of commands that print tables.
inline constexpr const char* kDetailsOfTables = "Print all columns of the tables";

struct Answering {
  bool json = false;
  bool quiet = false;
  bool gives_file = false;  ///< whether standard output gets a file that is written

  /// Adds --json and --quiet. Refers to this object.
  void add_to(CLI::App& command);

  /// Whether text for people is printed.
  bool is_for_people() const { return !json && !quiet && !gives_file; }
  /// Prints `text` for people. \throws Error  if standard output cannot be written, as the next
  void say(const std::string& text) const;
  /// Prints `object` on one line, where --json was given.
  void print(const Json& object) const;
  /// Nothing else is printed where the file of `option` is standard output.
  /// \throws UsageError  if --json was given, too, or if `file` is one of `inputs`
  void set_output(const std::string& option, const std::string& file,
                  const std::vector<std::string>& inputs);
};

/// The verdict; the answers that come first, each as a line, with the prediction where there is
/// one; notes, and every run as measured and as predicted.
Json to_json(const Report& report);

}  // namespace cleave::models
