// SPDX-License-Identifier: Apache-2.0
// Running a study: calibration, then every case in turn, several rounds, then what is asked about
// until it is answered.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cleave/command_line/progress.hpp>
#include <cleave/error.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/study/host_load.hpp"
#include "models/study/study_plan.hpp"

namespace cleave::models {

struct RanCase {
  detail::Trace trace;
  std::vector<std::string> warnings;  ///< of a rehearsal, a line each
};

/// Runs one case, as a study's round `round`, and reads its trace.
/// \throws Error  if the run fails, with its last line
RanCase run_case(const StudyPlan& plan, const Launcher& launcher, const Case& c, int round);

class StudyRun {
 public:
  StudyRun(const StudyArguments& arguments, StudyPlan plan);

  /// Makes the folder and fills it with the machine and the traces. Runs whose traces it holds
  /// already, made by the same program with the same options, are not run again.
  /// Then what differs from round to round is measured again, and what `again` says, until there is
  /// none, or the rounds are used up. After the first round nothing runs that the budget has no
  /// time for.
  /// \throws Stopped  after Ctrl-C, with what is kept
  /// \throws Error    if a run fails, with its last line
  void measure(const std::function<std::vector<Case*>(StudyRun&)>& again = {});
  /// The rest is done, too: no more is told of how far the study is. Prints the warnings.
  void end();

  const StudyPlan& plan() const { return plan_; }
  std::vector<Case>& cases() { return plan_.cases; }
  /// Of runs.
  const std::vector<detail::Trace>& traces() const { return traces_; }
  const std::vector<detail::Trace>& rehearsals() const { return rehearsals_; }
  /// Those that `c.traces` counts in.
  const std::vector<detail::Trace>& traces_with(const Case& c) const {
    return c.rehearsed > 0 ? rehearsals_ : traces_;
  }
  /// Whether a run that was made earlier is among them.
  bool has_earlier() const { return has_earlier_; }
  /// The part of this host's cores that others used since this study began.
  double used_by_others() const { return models::used_by_others(begin_times_, host_times()); }
  /// The machine file; empty if the study is of one rank.
  const std::string& machine_file() const { return machine_file_; }

 private:
  void make_folders();
  void remove_folders_if_empty() const;
  void say_what_is_there() const;
  void measure_all(const std::function<std::vector<Case*>(StudyRun&)>& again);
  /// Whether what takes so long ends within the budget.
  bool has_time_for(double seconds) const;
  int ranks_to_calibrate() const;
  void set_up_machine();
  bool is_calibrated_here(const std::filesystem::path& file) const;
  void calibrate(const std::filesystem::path& file);
  void measure_round(int round, const std::vector<Case*>& cases);
  std::optional<detail::Trace> earlier(const Case& c, int round) const;
  std::vector<Case*> unsettled();
  int max_rounds() const;
  void begin_step(const std::string& what);
  void wait_before_again(int further);

  // What the progress knows.
  void plan_round(const std::vector<Case*>& cases, int round);
  void complete_run(bool is_reused);
  void leave_out_run();
  detail::Moment look();

  const StudyArguments& arguments_;
  StudyPlan plan_;
  Launcher launcher_;
  std::string machine_file_;
  bool calibrates_ = false;
  bool has_earlier_ = false;
  std::size_t runs_ = 0;   ///< that there are to be
  std::size_t begun_ = 0;  ///< steps
  std::vector<detail::Trace> traces_;
  std::vector<detail::Trace> rehearsals_;
  std::set<std::string> warnings_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  HostTimes begin_times_ = host_times();

  std::mutex mutex_;            ///< of what the thread of the progress looks at
  std::deque<double> to_come_;  ///< weights of the runs that are
  double done_ = 0;             ///< weight of those that are done
  std::string step_;
  std::optional<detail::Progress> progress_;  ///< last, since its thread looks at the others
};

}  // namespace cleave::models
