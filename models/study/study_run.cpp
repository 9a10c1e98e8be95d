// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

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
  return fmt::format(
      "{} {}", detail::quote(plan.program.file.string()),
      fmt::join(plan.options_of(c, round) | std::views::transform(detail::quote), " "));
}

/// Runs one case, as a study's round `round`, and reads its trace.
/// \param warnings  of a rehearsal, a line each, are added here
/// \return  none if it is not done within `limit_s`
/// \throws Error  if the run fails, with its last line
std::optional<detail::Trace> run_case(const StudyPlan& plan, const Launcher& launcher,
                                      const Case& c, int round, std::set<std::string>& warnings,
                                      double limit_s = 1e9) {
  const fs::path file = plan.trace_of(c, round);
  std::error_code error;
  std::vector<std::string> options = plan.options_of(c, round);
  options.insert(options.end(), {"--trace", file.string()});
  if (c.rehearsed == 0) {
    options.emplace_back("--quiet");  // a rehearsal would not warn then
  }
  const Ended ended = launcher.run(c.workers, plan.program.file, options, limit_s);
  if (ended.timed_out) {
    return std::nullopt;
  }
  const bool is_written = fs::exists(file);
  if (ended.status != 0 || !is_written) {
    fs::remove(file, error);
    throw Error(fmt::format("{} {} {}: {}; the run was {}", plan.program.file.filename().string(),
                            how_it_runs(c),
                            ended.status != 0 ? how_it_ended(ended) : "wrote no trace",
                            last_line(ended.output), command_of(plan, c, round)));
  }
  std::istringstream lines(ended.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": warning: ") != std::string::npos) {
      warnings.insert(line);
    }
  }
  return detail::read_trace(file);
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
                     .allow_oversubscribed = true,
                     .options = {"--seed", "1"}});
}

/// How much there is to solve, to compare runs of one program by.
double work_of(const StudyPlan& plan, const Case& c) {
  double work = 0;
  for (const auto& [name, count] : counts_of(c.size).value_or(NamedSizes())) {
    work += static_cast<double>(count);
  }
  const std::vector<std::string>& sizes = plan.study.sizes;
  return work > 0 ? work
                  : std::exp2(std::distance(sizes.begin(), std::ranges::find(sizes, c.size)));
}

class StudyRun {
 public:
  explicit StudyRun(StudyPlan& plan) : plan_(plan), launcher_(plan.arguments.launcher) {
    if (!plan.arguments.machine.empty()) {
      detail::read_machine(plan.arguments.machine);  // before the runs, which take minutes
    } else if (ranks_to_calibrate() > 1) {
      calibration_program();
    }
  }

  StudyTraces run() {
    plan_.owner = own_folder(plan_.folder);
    try {
      set_up_machine();
      set_up_folder();
      measure();
    } catch (const Stopped&) {
      leave_folder();
      const std::size_t done = traces_.runs.size() + traces_.rehearsals.size();
      const std::string kept =
          fmt::format("stopped; {} of {} runs are kept in {}: the same command goes on", done,
                      planned_runs(), plan_.folder.string());
      throw Stopped(done == 0 ? "stopped before the first run was done" : kept);
    } catch (...) {
      leave_folder();
      throw;
    }
    leave_folder();
    progress_.reset();
    tell_of_earlier();
    fmt::print(stderr, "{}{}", fmt::join(warnings_, "\n"), warnings_.empty() ? "" : "\n");
    return std::move(traces_);
  }

 private:
  std::size_t planned_runs() const {
    return plan_.cases.size() * static_cast<std::size_t>(plan_.study.rounds);
  }

  /// Puts runs aside that another launcher or host has made.
  void set_up_folder() {
    const fs::path file = plan_.folder / kMadeBy;
    const std::string made_by = launcher_.is_given() ? plan_.arguments.launcher : this_host();
    const bool is_other = !fs::exists(file) || read_file(file) != made_by;
    if (is_other && !traces_in(plan_.folder).empty()) {
      std::error_code none;
      fs::remove_all(aside_, none);
      make_folder(aside_);
      move_runs(plan_.folder, aside_);
    }
    make_folder(plan_.folder / kTracesOfStudy);
    make_folder(plan_.folder / kRehearsalsOfStudy);
    write_file(file, made_by);
  }

  static std::string this_host() { return detail::provenance_here("", "", "").host; }

  /// Whether the program and the files that the options of this run name still hold the same.
  bool is_as_now(const RunInformation& run) {
    std::map<std::string, std::string> paths = run.options;
    paths["program"] = plan_.program.file.string();
    return run.files.contains("program") && std::ranges::all_of(run.files, [&](const auto& file) {
             const auto [now, is_new] = contents_.try_emplace(paths[file.first]);
             if (is_new && fs::is_regular_file(now->first)) {
               now->second = detail::content_of(now->first);
             }
             return now->second == file.second;
           });
  }

  static void move_runs(const fs::path& from, const fs::path& to) {
    std::error_code none;
    for (const char* name : {kTracesOfStudy, kRehearsalsOfStudy, kMadeBy}) {
      fs::rename(from / name, to / name, none);
    }
  }

  /// Runs that were put aside come back where none took their place; a new folder without goes.
  void leave_folder() const {
    std::error_code none;
    if (traces_in(plan_.folder).empty()) {
      move_runs(aside_, plan_.folder);
      fs::remove_all(is_new_folder_ ? plan_.folder : aside_, none);
    }
  }

  /// Says how many traces of the folder were reused, and how many are others.
  void tell_of_earlier() const {
    const std::size_t all = traces_.runs.size() + traces_.rehearsals.size();
    const std::size_t others = traces_in(plan_.folder).size() - all;
    if (reused_ > 0) {
      fmt::print(stderr,
                 "study: {} of {} runs were made earlier and are reused from {}: without this "
                 "folder all are made anew\n",
                 reused_, all, plan_.folder.string());
    }
    if (others > 0) {
      fmt::print(stderr,
                 "study: note: {0} also holds {1} traces of other runs, which cleave fit {0} takes "
                 "too\n",
                 plan_.folder.string(), others);
    }
  }

  /// The trace of a run that was made earlier from the same. That of another one is put aside.
  std::optional<detail::Trace> earlier(Case c, int round) {
    const fs::path file = plan_.trace_of(c, round);
    try {
      detail::Trace trace = detail::read_trace(file);
      for (const bool is_long : {true, false}) {
        c.is_long = is_long;
        const std::string command = command_of(plan_, c, round) + " --trace ";
        if (trace.run.provenance.command_line.starts_with(command) && is_as_now(trace.run)) {
          return trace;
        }
      }
    } catch (const FileError&) {  // none, cut short, or of another version
    }
    if (std::error_code none; fs::exists(file)) {
      const fs::path kept = aside_ / file.lexically_relative(plan_.folder);
      fs::create_directories(kept.parent_path(), none);
      fs::rename(file, kept, none);
    }
    return std::nullopt;
  }

  /// The most ranks of a case: as many as are asked about, where a launcher has other hosts.
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
    machine.exchange = with_machine(network, preset_machine(kAssumedNetwork)).exchange;
    write_machine(plan_.assumed_network(), machine);
  }

  /// Whether an earlier part of this study has calibrated the machine.
  bool is_calibrated_here(const fs::path& file) const {
    try {
      const detail::Machine machine = detail::read_machine(file);
      return machine.provenance.host == this_host() &&
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
    constexpr double kUsual_s = 30;
    constexpr double kOfBudget = 0.1;
    const double seconds = std::min(kUsual_s, kOfBudget * plan_.budget_s);
    const std::vector<std::string> options = {"--out", file.string(), "--seconds",
                                              fmt::format("{}", seconds)};
    const Ended ended = launcher_.run({.ranks = ranks}, calibration_program(), options);
    if (ended.status != 0 || !fs::exists(file)) {
      throw Error(fmt::format("cleave-calibrate on {} {}: {}; give a machine file by --machine",
                              detail::format_ranks(ranks), how_it_ended(ended),
                              last_line(ended.output)));
    }
  }

  /// Runs what is planned, then further sizes while the budget lasts.
  void measure() {
    begin_progress();
    for (std::size_t first = 0; first < plan_.cases.size();) {
      measure_from(std::exchange(first, plan_.cases.size()));
      tell(1, "fitting");
      std::set<std::string> sizes;
      for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
        if (plan_.cases[i].rehearsed == 0 && !traces_.of_case[i].empty()) {
          sizes.insert(plan_.cases[i].size);
        }
      }
      const std::size_t fewest = plan_.arguments.at.empty() ? 1 : 2;  // of a fit
      if (sizes.size() < fewest) {
        throw Error(fmt::format("--budget {} has time for {} of at least {} sizes: give more",
                                detail::format_seconds(plan_.budget_s), sizes.size(), fewest));
      }
      const auto size = plan_.arguments.rounds ? std::nullopt : next_size(plan_, traces_);
      if (size && left_s() > 0 && program_takes(*size)) {
        plan_.add_size(*size);
      }
    }
  }

  /// The first round begins with what is small, which tells what the rest takes; what is asked
  /// comes before runs of more than half its size. The next round goes
  /// backwards, and so on, so that a machine that becomes slower meanwhile does not make one size
  /// or one number of ranks slower than the others.
  void measure_from(std::size_t first) {
    std::vector<std::size_t> order(plan_.cases.size() - first);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return work_of(plan_, plan_.cases[i]) * (plan_.cases[i].is_asked ? 0.5 : 1);
    });
    took_s_.resize(plan_.cases.size());
    traces_.of_case.resize(plan_.cases.size());
    for (int round = 1; round <= plan_.study.rounds; ++round) {
      for (const std::size_t i : order) {
        measure_case(i, round);
      }
      std::ranges::reverse(order);
    }
  }

  /// The seconds of a process of a case, by the largest smaller one of its kind; else 0.
  double expected_s(const Case& c) const {
    double most = 0;
    double expected = 0;
    for (std::size_t k = 0; k < plan_.cases.size(); ++k) {
      const Case& of = plan_.cases[k];
      const double work = work_of(plan_, of);
      if (took_s_[k] > 0 && (of.rehearsed > 0) == (c.rehearsed > 0) && work >= most) {
        most = work;
        expected = took_s_[k] * std::max(1.0, work_of(plan_, c) / work) /
                   (c.is_long && !of.is_long ? 2 : 1);
      }
    }
    return expected;
  }

  /// Runs a case, unless its trace is there already, or the budget has no time for its rounds.
  void measure_case(std::size_t i, int round) {
    constexpr double kDoubt = 4;
    constexpr double kLong_s = 1;
    Case& c = plan_.cases[i];
    std::vector<std::size_t>& of_case = traces_.of_case[i];
    std::optional<detail::Trace> trace = earlier(c, round);
    reused_ += trace ? 1 : 0;
    const bool has_begun = !of_case.empty();
    c.is_long |= !has_begun && !plan_.arguments.rounds && expected_s(c) > kLong_s;
    const double expected = has_begun ? took_s_[i] : expected_s(c);
    if (!trace && has_begun == (round > 1) &&
        (has_begun ? 0 : plan_.study.rounds * expected) <= left_s()) {
      tell(std::min(1.0, static_cast<double>(made_++) / static_cast<double>(planned_runs())),
           fmt::format("{} {} {}, round {}", plan_.program.name, c.size, how_it_runs(c), round));
      const double begin_s = elapsed_s();
      const double end_s = kOfRuns * plan_.budget_s - begin_s;
      const bool is_cut = expected > 0 && (plan_.arguments.budget_s || !plan_.arguments.rounds);
      trace = run_case(plan_, launcher_, c, round, warnings_,
                       is_cut ? std::min(end_s, kDoubt * (1 + expected)) : end_s);
      took_s_[i] = elapsed_s() - begin_s;
    }
    if (trace) {
      std::vector<detail::Trace>& traces = c.rehearsed > 0 ? traces_.rehearsals : traces_.runs;
      of_case.push_back(traces.size());
      traces.push_back(std::move(*trace));
    }
  }

  bool program_takes(const std::string& size) const {
    try {
      Case c = plan_.cases.front();
      c.size = size;
      check_options_of_run(plan_.program.file, plan_.options_of(c, 1));
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  void begin_progress() {
    progress_.reset();
    progress_.emplace("study", [this] {
      const std::lock_guard guard(mutex_);
      return moment_;
    });
  }
  void tell(double fraction, std::string step) {
    const std::lock_guard guard(mutex_);
    moment_ = {.fraction = fraction, .step = std::move(step)};
  }

  double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - plan_.begin).count();
  }
  /// The seconds that the budget leaves when all rounds of what has begun are done.
  double left_s() const {
    double left = kOfRuns * plan_.budget_s - elapsed_s();
    for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
      const std::size_t done = traces_.of_case[i].size();
      left -= done == 0 ? 0 : took_s_[i] * static_cast<double>(plan_.study.rounds - done);
    }
    return left;
  }

  static constexpr double kOfRuns = 0.95;  ///< part of the budget; the rest is for the fit
  StudyPlan& plan_;
  Launcher launcher_;
  StudyTraces traces_;
  std::vector<double> took_s_;  ///< what the latest process of each case took; 0: it was reused
  bool is_new_folder_ = !fs::exists(plan_.folder);
  fs::path aside_ = plan_.folder / "before";
  std::map<std::string, std::string> contents_;  ///< of files that were looked at
  std::size_t reused_ = 0;                       ///< traces
  std::set<std::string> warnings_;
  std::size_t made_ = 0;  ///< runs
  std::mutex mutex_;      ///< of the moment, which the thread of the progress looks at
  detail::Moment moment_;
  std::optional<detail::Progress> progress_;  ///< last, since its thread looks at the others
};

}  // namespace

StudyTraces run_study(StudyPlan& plan) { return StudyRun(plan).run(); }

std::vector<ComparedSide> run_sides(const std::vector<std::string>& programs,
                                    const SideRunOptions& options) {
  catch_interrupts();
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
  std::set<std::string> warnings;
  for (int round = 1; round <= options.rounds; ++round) {
    for (std::size_t c = 0; c < plans.front().cases.size(); ++c) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        const std::size_t side = round % 2 == 0 ? plans.size() - 1 - i : i;
        traces[side].push_back(
            *run_case(plans[side], launcher, plans[side].cases[c], round, warnings));
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
