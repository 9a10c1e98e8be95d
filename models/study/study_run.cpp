// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include <cleave/command_line/progress.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/study_folder.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

fs::path calibration_program() {
  fs::path file = program_folder() / "cleave-calibrate";
  if (!fs::exists(file)) {
    throw UsageError(
        fmt::format("there is no program cleave-calibrate in {}: give a machine file, "
                    "for example --machine here.machine.json",
                    program_folder().string()));
  }
  return file;
}

/// "on 2 ranks", "for 64 ranks, rehearsed".
std::string how_it_runs(const Case& c) {
  return c.rehearsed > 0 ? fmt::format("for {}, rehearsed", detail::format_ranks(c.rehearsed))
                         : fmt::format("on {}", format_workers(c.workers.ranks, c.workers.threads));
}

/// The program and its options, as a trace has them in its provenance.
std::string command_of(const StudyPlan& plan, const Case& c, int round) {
  return fmt::format("{} {}", plan.program.file.string(),
                     fmt::join(plan.options_of(c, round), " "));
}

/// The warnings in a program's output, by lines.
std::vector<std::string> warnings_in(const std::string& output) {
  std::vector<std::string> warnings;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": warning: ") != std::string::npos) {
      warnings.push_back(line);
    }
  }
  return warnings;
}

struct RanCase {
  detail::Trace trace;
  std::vector<std::string> warnings;  ///< of a rehearsal, a line each
};

/// Runs one case, as a study's round `round`, and reads its trace.
/// \throws Error  if the run fails, with its last line
RanCase run_case(const StudyPlan& plan, const Launcher& launcher, const Case& c, int round) {
  const fs::path file = plan.trace_of(c, round);
  std::error_code error;
  fs::remove(file, error);  // of another study
  std::vector<std::string> options = plan.options_of(c, round);
  options.insert(options.end(), {"--trace", file.string()});
  if (c.rehearsed == 0) {
    options.emplace_back("--quiet");  // a rehearsal would not warn then
  }
  const Ended ended = launcher.run(c.workers, plan.program.file, options);
  const bool is_written = fs::exists(file);
  if (ended.status != 0 || !is_written) {
    fs::remove(file, error);
    throw Error(fmt::format("{} {} {}: {}; the run was {}", plan.program.file.filename().string(),
                            how_it_runs(c),
                            ended.status != 0 ? how_it_ended(ended) : "wrote no trace",
                            last_line(ended.output), command_of(plan, c, round)));
  }
  return {.trace = detail::read_trace(file), .warnings = warnings_in(ended.output)};
}

std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> files = files_with(folder / kTracesOfStudy, kTraceEnding);
  std::ranges::copy(files_with(folder / kRehearsalsOfStudy, kTraceEnding),
                    std::back_inserter(files));
  return files;
}

/// The quick study of a program that is run beside others.
StudyPlan plan_of_side(const std::string& program, const SideRunOptions& options,
                       const std::vector<std::string>& sizes, const fs::path& folder) {
  make_folder(folder);
  make_folder(folder / kTracesOfStudy);
  return plan_study({.program = program,
                     .ranks = {options.ranks},
                     .sizes = sizes,
                     .rounds = options.rounds,
                     .out = folder.string(),
                     .at = {},
                     .quick = true,
                     .options = {"--seed", "1"}});
}

class StudyRun {
 public:
  explicit StudyRun(const StudyPlan& plan)
      : plan_(plan),
        launcher_(plan.arguments.launcher),
        max_rounds_(plan.arguments.rounds ? plan.study.rounds : kMostRounds),
        latest_s_(plan.cases.size()) {
    traces_.of_case.resize(plan.cases.size());
    if (!plan.arguments.machine.empty()) {
      detail::read_machine(plan.arguments.machine);  // before the runs, which take minutes
    } else if (ranks_to_calibrate() > 1) {
      calibration_program();
    }
  }

  StudyTraces run() {
    set_up_folder();
    find_earlier();
    try {
      set_up_machine();
      measure();
    } catch (const Stopped&) {
      remove_folder_if_empty();
      const std::size_t done = traces_.runs.size() + traces_.rehearsals.size();
      throw Stopped(done == 0
                        ? "stopped before the first run was done"
                        : fmt::format("stopped; {} of {} runs are kept in {}: the same command "
                                      "goes on",
                                      done, std::max(done, planned_runs()), plan_.folder.string()));
    } catch (...) {
      remove_folder_if_empty();
      throw;
    }
    progress_.reset();
    if (!plan_.arguments.quiet && !warnings_.empty()) {
      fmt::print(stderr, "{}\n", fmt::join(warnings_, "\n"));
    }
    return std::move(traces_);
  }

 private:
  static constexpr int kMostRounds = 8;

  std::size_t planned_runs() const {
    return plan_.cases.size() * static_cast<std::size_t>(plan_.study.rounds);
  }

  void set_up_folder() const {
    make_folder(plan_.folder);
    for (const Case& c : plan_.cases) {
      make_folder(plan_.trace_of(c, 1).parent_path());
    }
    if (plan_.arguments.fresh) {
      std::error_code error;
      for (const fs::path& file : traces_in(plan_.folder)) {
        fs::remove(file, error);
      }
      fs::remove(plan_.folder / kMachineOfStudy, error);
    }
  }

  void remove_folder_if_empty() const {
    std::error_code error;  // a folder with anything in it stays
    if (traces_in(plan_.folder).empty()) {
      fs::remove(plan_.assumed_network(), error);
      if (!plan_.arguments.machine.empty()) {
        fs::remove(plan_.folder / kMachineOfStudy, error);  // a copy
      }
    }
    for (const char* const name : {kTracesOfStudy, kRehearsalsOfStudy, ""}) {
      fs::remove(plan_.folder / name, error);
    }
  }

  /// Reads the traces that the folder holds, and says how many it reuses, and which it does not.
  void find_earlier() {
    std::size_t reused = 0;
    std::set<fs::path> others;
    std::ranges::copy(traces_in(plan_.folder), std::inserter(others, others.end()));
    for (int round = 1; round <= max_rounds_; ++round) {
      for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
        others.erase(plan_.trace_of(plan_.cases[i], round));
        if (auto trace = earlier(plan_.cases[i], round)) {
          earlier_.emplace(std::pair(round, i), std::move(*trace));
          reused += round <= plan_.study.rounds ? 1 : 0;
        }
      }
    }
    const std::string folder = plan_.folder.string();
    if (reused > 0 && !plan_.arguments.quiet) {
      fmt::print(stderr,
                 "study: {} of {} runs were made earlier and are reused from {}; --fresh makes all "
                 "anew\n",
                 reused, planned_runs(), folder);
    }
    if (!others.empty() && !plan_.arguments.quiet) {
      fmt::print(stderr,
                 "study: note: {0} also holds {1} traces of other runs, which cleave fit {0} takes "
                 "too; --fresh removes them\n",
                 folder, others.size());
    }
  }

  /// The trace of a run that was made earlier: by this program, which has not been built anew
  /// since, with these options, on this host.
  std::optional<detail::Trace> earlier(const Case& c, int round) const {
    const fs::path file = plan_.trace_of(c, round);
    std::error_code error;
    const auto made = fs::last_write_time(file, error);
    if (error || made < fs::last_write_time(plan_.program.file, error) || error) {
      return std::nullopt;
    }
    try {
      detail::Trace trace = detail::read_trace(file);
      const detail::Provenance& provenance = trace.run.provenance;
      const bool is_same =
          trace.run.ranks == (c.rehearsed > 0 ? c.rehearsed : c.workers.ranks) &&
          provenance.command_line.starts_with(command_of(plan_, c, round) + " --trace ") &&
          (launcher_.is_given() || provenance.host == detail::provenance_here("", "", "").host);
      return is_same ? std::optional(std::move(trace)) : std::nullopt;
    } catch (const FileError&) {
      return std::nullopt;  // cut short, or of another version
    }
  }

  /// The most ranks of a case. Where a launcher starts ranks on other hosts they can be as many as
  /// are asked about.
  int ranks_to_calibrate() const {
    int ranks = 1;
    for (const Case& c : plan_.cases) {
      ranks = std::max(
          {ranks, c.workers.ranks, launcher_.is_given() ? c.rehearsed : std::min(c.rehearsed, 2)});
    }
    return ranks;
  }

  /// The folder keeps its machine beside its traces, so that they can be fitted again.
  void set_up_machine() {
    const fs::path file = plan_.folder / kMachineOfStudy;
    if (!plan_.arguments.machine.empty()) {
      write_file(file, read_file(plan_.arguments.machine));
    } else if (ranks_to_calibrate() == 1) {
      return;
    } else if (!is_calibrated_here(file)) {
      calibrate(file);
    }
    detail::Machine machine = detail::read_machine(file);
    const Network network = network_of(machine);
    std::error_code error;
    if (plan_.program.type != name_of(DC_Type::work_stealing) || network.knows_between_hosts()) {
      fs::remove(plan_.assumed_network(), error);
      return;
    }
    machine.exchange = with_machine(network, preset_machine(kAssumedForAnswers)).exchange;
    write_machine(plan_.assumed_network(), machine);
  }

  /// Whether an earlier part of this study has calibrated the machine.
  bool is_calibrated_here(const fs::path& file) const {
    try {
      const detail::Machine machine = detail::read_machine(file);
      return machine.provenance.host == detail::provenance_here("", "", "").host &&
             std::ranges::any_of(machine.exchange, [&](const detail::Communication& entry) {
               return entry.ranks >= ranks_to_calibrate();
             });
    } catch (const FileError&) {
      return false;
    }
  }

  void calibrate(const fs::path& file) {
    const int ranks = ranks_to_calibrate();
    begin_progress();
    tell(0, fmt::format("calibrating the machine on {} ranks", ranks));
    const Ended ended =
        launcher_.run({.ranks = ranks}, calibration_program(), {"--out", file.string(), "--quiet"});
    if (ended.status != 0 || !fs::exists(file)) {
      throw Error(fmt::format("cleave-calibrate on {} {}: {}; give a machine file by --machine",
                              detail::format_ranks(ranks), how_it_ended(ended),
                              last_line(ended.output)));
    }
  }

  void measure() {
    begin_progress();
    std::vector<std::size_t> cases(plan_.cases.size());
    std::iota(cases.begin(), cases.end(), std::size_t{0});
    for (int round = 1; round <= max_rounds_ && !cases.empty(); ++round) {
      measure_round(round, cases);
      if (round >= plan_.study.rounds) {
        cases = round < max_rounds_ && has_time_for(0) ? cases_again(plan_, traces_)
                                                       : std::vector<std::size_t>();
      }
    }
    tell(1, "fitting");
  }

  /// Forwards in one round and backwards in the next, so that a machine that becomes slower
  /// meanwhile does not make one size or one number of ranks slower than the others.
  void measure_round(int round, std::vector<std::size_t> cases) {
    if (round % 2 == 0) {
      std::ranges::reverse(cases);
    }
    for (const std::size_t i : cases) {
      const Case& c = plan_.cases[i];
      auto trace = earlier_.extract({round, i});
      if (trace.empty() && round > 1 && !has_time_for(latest_s_[i])) {
        continue;
      }
      std::vector<detail::Trace>& traces = c.rehearsed > 0 ? traces_.rehearsals : traces_.runs;
      traces_.of_case[i].push_back(traces.size());
      traces.push_back(trace.empty() ? measured(i, round) : std::move(trace.mapped()));
    }
  }

  detail::Trace measured(std::size_t i, int round) {
    const Case& c = plan_.cases[i];
    tell(std::min(1.0, static_cast<double>(made_) / static_cast<double>(planned_runs())),
         fmt::format("{} {} {}, round {}", plan_.program.name, c.size, how_it_runs(c), round));
    const double begin_s = elapsed_s();
    RanCase ran = run_case(plan_, launcher_, c, round);
    latest_s_[i] = elapsed_s() - begin_s;
    ++made_;
    warnings_.insert(ran.warnings.begin(), ran.warnings.end());
    return std::move(ran.trace);
  }

  void begin_progress() {
    progress_.reset();
    if (!plan_.arguments.quiet) {
      progress_.emplace("study", [this] {
        const std::lock_guard guard(mutex_);
        return moment_;
      });
    }
  }
  void tell(double fraction, std::string step) {
    const std::lock_guard guard(mutex_);
    moment_ = {.fraction = fraction, .step = std::move(step)};
  }

  double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  bool has_time_for(double seconds) const {
    return !plan_.arguments.budget_s || elapsed_s() + seconds <= *plan_.arguments.budget_s;
  }

  const StudyPlan& plan_;
  Launcher launcher_;
  int max_rounds_;
  StudyTraces traces_;
  std::map<std::pair<int, std::size_t>, detail::Trace> earlier_;  ///< by round and case
  std::vector<double> latest_s_;  ///< what the latest run of each case took; 0: it was reused
  std::set<std::string> warnings_;
  std::size_t made_ = 0;  ///< runs
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  ///< of the moment, which the thread of the progress looks at
  detail::Moment moment_;
  std::optional<detail::Progress> progress_;  ///< last, since its thread looks at the others
};

}  // namespace

StudyTraces run_study(const StudyPlan& plan) { return StudyRun(plan).run(); }

std::vector<ComparedSide> run_sides(const std::vector<std::string>& programs,
                                    const SideRunOptions& options) {
  const fs::path folder = make_folder_beside(fs::temp_directory_path() / "cleave-compare");
  const std::shared_ptr<void> removed(nullptr, [&](void*) {
    std::error_code error;
    fs::remove_all(folder, error);
  });
  std::vector<StudyPlan> plans;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto& sizes = plans.empty() ? options.sizes : plans.front().study.sizes;
    plans.push_back(plan_of_side(programs[i], options, sizes, folder / std::to_string(i + 1)));
    const std::string& first = plans.front().program.name;
    if (plans.back().program.name != first) {
      throw UsageError(fmt::format("{} is of {}, {} of {}", programs.front(), first, programs[i],
                                   plans.back().program.name));
    }
  }
  const Launcher launcher("");
  std::vector<std::vector<detail::Trace>> traces(programs.size());
  for (int round = 1; round <= options.rounds; ++round) {
    for (std::size_t c = 0; c < plans.front().cases.size(); ++c) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        const std::size_t side = round % 2 == 0 ? plans.size() - 1 - i : i;
        traces[side].push_back(run_case(plans[side], launcher, plans[side].cases[c], round).trace);
      }
    }
  }
  std::vector<ComparedSide> sides;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    sides.push_back(side_of(programs[i], std::move(traces[i])));
  }
  return sides;
}

}  // namespace cleave::models
