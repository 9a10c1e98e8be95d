// SPDX-License-Identifier: Apache-2.0
// What several commands read from the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/tables/table.hpp"
#include "models/theory/fit.hpp"

namespace cleave::models {

/// "1,2,8", or "8,16,...,1024": what the two numbers before "..." begin goes on up to the one after
/// it, by their ratio where it is whole, else by their difference.
/// \param option  whose text it is, for errors
/// \throws UsageError  naming the part that is not a number of ranks, or a series that misses its
/// end
std::vector<int> parse_ranks(const std::string& option, const std::string& text);

/// "sequential=1,N*log2(N)" for each block. \throws UsageError
std::map<detail::Block, Form> parse_given_forms(const std::vector<std::string>& texts);

/// Reads traces. \throws FileError
std::vector<detail::Trace> read_traces(const std::vector<std::string>& files);

/// The machine file, where one is named. \throws FileError
std::optional<detail::Machine> read_machine_if_given(const std::string& file);

/// What of tables of run times is meant (models/tables/table.hpp).
struct TableArguments {
  TableChoice choice;

  /// Adds the options of these names. Refers to this object.
  void add_to(CLI::App& command);
};

/// Whether `files` are tables rather than traces, by how the first begins. \throws FileError
bool are_tables(const std::vector<std::string>& files);

/// What `files`, all traces or all tables, hold. \throws  as their readers
Measurements read_measurements(const std::vector<std::string>& files, const TableChoice& choice);

/// Ways of fitting, as text to their values.
struct FitArguments {
  std::string forms = "auto";
  std::vector<std::string> given_forms;
  std::string hold_out = "none";
  bool allow_oversubscribed = false;

  /// Adds the options of these names, but for --hold-out. Refers to this object.
  void add_to(CLI::App& command);

  FitOptions options() const;

  /// What of `all` is to be fitted.
  Measurements measurements(Measurements all) const;
};

/// \throws UsageError  naming `option` and an example of it, if `value` is empty
template <class Value>
void require_option(const Value& value, const std::string& option, const std::string& example) {
  if (value.empty()) {
    throw UsageError(option + " is required, for example " + example);
  }
}

}  // namespace cleave::models
