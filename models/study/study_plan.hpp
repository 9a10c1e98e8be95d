// SPDX-License-Identifier: Apache-2.0
// What a study is going to run and to rehearse, several rounds. Whatever can be wrong with it is
// found before the first run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/study/launcher.hpp"
#include "models/study/program_description.hpp"
#include "models/theory/fit.hpp"

namespace cleave::models {

/// Where a study keeps the machine that its runs were on.
inline constexpr const char* kMachineOfStudy = "this.machine.json";
/// And where its traces, and those of rehearsals.
inline constexpr const char* kTracesOfStudy = "traces";
inline constexpr const char* kRehearsalsOfStudy = "rehearsals";
/// And the messages that were measured where the answers are for.
inline constexpr const char* kMessagesOfStudy = "messages";
inline constexpr std::string_view kTraceEnding = ".trace.jsonl";

/// The command line of `cleave study`.
struct StudyArguments {
  std::string program;
  std::string type;  ///< empty: the program's default
  std::vector<int> ranks;
  std::vector<int> threads;
  std::vector<std::string> sizes;
  std::optional<int> rounds;
  std::optional<int> repetitions;
  std::string out;
  std::string machine;
  std::vector<std::string> messages;  ///< traces of cleave-calibrate --like
  std::string launcher;
  /// Numbers of ranks whose run is rehearsed and answered; none: runs alone, which nobody fits.
  std::vector<int> at;
  std::vector<std::string> at_sizes;  ///< of these; empty: the last of those that are run
  double within = 0.05;  ///< half width of what was measured that is narrow enough, relative
  std::optional<double> budget_s;  ///< within which more rounds than the first are made
  bool quick = false;
  bool fresh = false;
  bool quiet = false;
  FitOptions fit;
  bool allow_oversubscribed = false;
  std::vector<std::string> options;  ///< after "--": the program's own
};

/// One size on one number of workers, and which traces are of it.
struct Case {
  std::string size;
  std::string label;  ///< of the size, as file names have it
  RanksAndThreads workers;
  int rehearsed = 0;      ///< ranks of the run that the workers rehearse; 0: they run it
  bool is_asked = false;  ///< whether the answer is what the study is for
  std::vector<std::size_t> traces = {};
  double latest_s = 0;  ///< that its latest run took, with its start; 0: it was reused
};

struct StudyPlan {
  ProgramDescription program;
  Study study;
  std::vector<std::string> options;  ///< the program's own
  std::vector<Case> cases;
  FitOptions fit;
  bool adds_rounds = true;  ///< while the two quickest of a case differ
  std::filesystem::path folder;
  std::string file_name;  ///< of the application, fit for files

  int max_ranks() const;

  /// About in proportion to the time of a run: its sizes over its workers. Where sizes are options
  /// in quotes they are taken to grow from each to the next.
  double weight_of(const Case& c) const;

  /// What searches are rehearsed on where nobody measured a network between hosts, if it is there.
  std::filesystem::path assumed_network() const;
  /// Writes it where `machine_file` makes it necessary, else removes it.
  void assume_network_of(const std::filesystem::path& machine_file) const;

  /// Copies them into the folder, in place of those that it holds.
  void keep_messages(const std::vector<std::string>& files) const;

  /// The program's options in a run, but for its trace.
  std::vector<std::string> options_of(const Case& c, int round) const;
  /// Where the trace of a run goes, those of rehearsals beside the others.
  std::filesystem::path trace_of(const Case& c, int round) const;
  /// All that are there, of this plan and of others.
  std::vector<std::filesystem::path> traces() const;
};

/// Whether a word of a command line is the option `name`, with or without a value after '='.
bool is_option(std::string_view word, std::string_view name);

/// The files in `folder` whose names have this ending, by name; none where there is no such folder.
std::vector<std::filesystem::path> files_with(const std::filesystem::path& folder,
                                              std::string_view ending);

/// Letters, digits and dots of `text`, with a dash for all between, at most 60 letters.
std::string file_name_of(const std::string& text);

/// A file name for each of `sizes`, no two the same.
std::vector<std::string> labels_of(const std::vector<std::string>& sizes);

/// Asks the program what it is, and checks that it takes the options and sizes.
/// \throws UsageError  if the study cannot be run or fitted, or messages are not of its program
StudyPlan plan_study(const StudyArguments& arguments);

}  // namespace cleave::models
