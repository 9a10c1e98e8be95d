// SPDX-License-Identifier: Apache-2.0
// The runs and rehearsals of a study, several rounds. All faults are found before the first run.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/study/launcher.hpp"
#include "models/study/program_description.hpp"

namespace cleave::models {

/// The command line of `cleave study`.
struct StudyArguments {
  std::string program;
  std::vector<int> ranks = {1, 2};
  std::vector<int> threads = {1};
  std::vector<std::string> sizes;
  std::optional<int> rounds;
  std::string out;
  std::string machine;
  std::string launcher;
  /// Numbers of ranks whose run is rehearsed and answered; none: runs alone, which nobody fits.
  std::vector<int> at = {2, 8, 64};
  std::vector<std::string> at_sizes;  ///< of these; empty: the last of those that are run
  std::optional<double> budget_s;     ///< of the whole study
  bool quick = false;
  bool allow_oversubscribed = false;
  std::vector<std::string> options;  ///< after "--": the program's own
};

/// One size on one number of workers.
struct Case {
  std::string size;
  std::string label;  ///< of the size, as file names have it
  RanksAndThreads workers;
  int rehearsed = 0;      ///< ranks of the run that the workers rehearse; 0: they run it
  bool is_asked = false;  ///< whether the answer is what the study is for
  bool is_long = false;   ///< whether its processes make one repetition each, and one warm-up
};

struct StudyPlan {
  StudyArguments arguments;
  ProgramDescription program;
  Study study;
  std::vector<RanksAndThreads> workers;  ///< of the runs
  std::vector<Case> cases;
  std::shared_ptr<void> owner;  ///< own_folder, once it runs
  std::filesystem::path folder;
  std::string file_name;  ///< of the application, fit for files
  double budget_s = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  /// The network of rehearsed searches where nobody measured one between hosts, if it is there.
  std::filesystem::path assumed_network() const;
  /// The program's options in a run, but for its trace.
  std::vector<std::string> options_of(const Case& c, int round) const;
  /// The trace of a run; those of rehearsals are beside the others.
  std::filesystem::path trace_of(const Case& c, int round) const;
  /// Adds runs of another size, on every number of workers.
  void add_size(const std::string& size);
};

/// The counts of a size; none where only the program understands it.
std::optional<NamedSizes> counts_of(const std::string& size);

/// Questions from the texts of several --size: counts of other names than the last has join it.
std::vector<std::string> questions_of(const std::vector<std::string>& texts);

/// Letters, digits and dots of `text`, with a dash for all between, at most 60 letters.
std::string file_name_of(const std::string& text);

/// Asks the program what it is, and checks that it takes the options and sizes.
/// \throws UsageError  if the study cannot be run or fitted, or messages are not of its program
StudyPlan plan_study(const StudyArguments& arguments);

}  // namespace cleave::models
