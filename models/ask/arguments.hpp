// SPDX-License-Identifier: Apache-2.0
// Options and answers that several commands have in common. Every command answers for people, as
// one JSON object on one line (--json).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/report/report.hpp"
#include "models/tables/table.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

/// "1,2,8", or "8,16,...,1024": what the two numbers before "..." begin goes on up to the one after
/// it, by their ratio where it is whole, else by their difference.
/// \throws UsageError  naming the part that is no number of ranks, or a series that misses its end
std::vector<int> parse_ranks(const std::string& text);

/// Adds an option whose value is such a list. Refers to `numbers`.
CLI::Option* add_numbers(CLI::App& command, const std::string& name, std::vector<int>& numbers,
                         const std::string& description);

/// Reads traces. \throws FileError
std::vector<detail::Trace> read_traces(const std::vector<std::string>& files);

/// The machine file, where one is named. \throws FileError
std::optional<detail::Machine> read_machine_if_given(const std::string& file);

/// Whether `files` are tables rather than traces, by how the first begins. \throws FileError
bool are_tables(const std::vector<std::string>& files);

/// The measurements in `files`, all traces or all tables. \throws  as their readers
Measurements read_measurements(const std::vector<std::string>& files, const TableChoice& choice);

/// \throws UsageError  naming `option` and an example of it, if `value` is empty
template <class Value>
void require_option(const Value& value, const std::string& option, const std::string& example) {
  if (value.empty()) {
    throw UsageError(option + " is required, for example " + example);
  }
}

/// The options of a question to a model, and the model that they make.
struct QuestionArguments {
  std::string study;  ///< its folder, or a model
  std::string machine;
  std::optional<int> ranks_per_host;
  std::optional<int> threads;

  /// Adds the options of these names. Refers to this object.
  void add_to(CLI::App& command);

  /// The model as asked about, perhaps on another machine.
  /// \throws UsageError, FileError
  Model read() const;
  PredictOptions options() const { return {.ranks_per_host = ranks_per_host, .threads = threads}; }
};

/// The sizes of a question: `text` as of --size, empty of a table without sizes.
/// \throws UsageError  also if no law answers by it, as by "data=a.phy": with the command that
///                     rehearses it on `ranks`
NamedSizes sizes_asked(const Model& model, const std::string& text, const std::vector<int>& ranks);

struct Answering {
  bool json = false;
  bool gives_file = false;  ///< whether standard output gets a file that is written

  /// Adds --json. Refers to this object.
  void add_to(CLI::App& command);

  /// Whether text for people is printed.
  bool is_for_people() const { return !json && !gives_file; }
  /// Prints `text` for people. \throws Error  if standard output cannot be written, as the next
  void say(const std::string& text) const;
  /// Prints what `write` writes as an object on one line, where --json was given.
  void print(const std::function<void(detail::JsonFields&)>& write) const;
  /// Nothing else is printed where the file of `option` is standard output.
  /// \throws UsageError  if --json was given, too, or if `file` is one of `inputs`
  void set_output(const std::string& option, const std::string& file,
                  const std::vector<std::string>& inputs);
};

/// Seconds and bytes; fields that a prediction has not are left out.
void fields(detail::JsonFields& object, const Prediction& prediction);
/// All of the prediction, and the rest beside it.
void fields(detail::JsonFields& object, const PlanChoice& choice);
void fields(detail::JsonFields& object, const JudgedRun& judged);
/// The field "verdict": verdict_of these answers.
void verdict_field(detail::JsonFields& object, const Model& model,
                   const std::vector<Answer>& answers, double reach);

/// The words on a report that is written as `page`: in 23 lines, so that a prompt is the 24th.
std::string told(const Report& report, const std::string& page);

/// The verdict; the answers that come first, each as a line, with the prediction where there is
/// one; notes, and every run as measured and as predicted.
void fields(detail::JsonFields& object, const Report& report);

// The commands of the program `cleave`. Each adds its options, and runs when its name is there.
void add_fit_command(CLI::App& program, const std::string& command_line);
void add_predict_command(CLI::App& program);
void add_plan_command(CLI::App& program);
void add_compare_command(CLI::App& program);
void add_export_command(CLI::App& program);
void add_report_command(CLI::App& program);
/// \param options  what follows after "--": those of the program that is studied
void add_study_command(CLI::App& program, const std::string& command_line,
                       const std::vector<std::string>& options);
void add_new_command(CLI::App& program);

}  // namespace cleave::models
