// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <sstream>
#include <system_error>

#include <cleave/command_line/progress.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/subprocess.hpp"
#include "models/theory/quiet.hpp"

namespace cleave::models {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTraceOption = " --trace ";

std::vector<Case*> all_of(std::vector<Case>& cases) {
  std::vector<Case*> all;
  all.reserve(cases.size());
  for (Case& c : cases) {
    all.push_back(&c);
  }
  return all;
}

/// Forwards in one round and backwards in the next, so that a machine that becomes slower meanwhile
/// does not make one size or one number of ranks slower than the others.
std::vector<Case*> in_turn(std::vector<Case*> cases, int round) {
  if (round % 2 == 0) {
    std::reverse(cases.begin(), cases.end());
  }
  return cases;
}

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

/// What a program of Cleave's warns of in its output, by lines.
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

}  // namespace

RanCase run_case(const StudyPlan& plan, const Launcher& launcher, const Case& c, int round) {
  const fs::path file = plan.trace_of(c, round);
  std::error_code error;
  fs::remove(file, error);  // of another study
  std::vector<std::string> options = plan.options_of(c, round);
  options.insert(options.end(), {"--trace", file.string()});
  if (c.rehearsed == 0) {
    options.emplace_back("--quiet");  // where a rehearsal would not warn
  }
  const Ended ended = launcher.run(c.workers, plan.program.file, options);
  const std::string program = plan.program.file.filename().string();
  const std::string how = how_it_runs(c);
  if (ended.status != 0) {
    fs::remove(file, error);
    throw Error(fmt::format("{} {} {}: {}; the run was {}", program, how, how_it_ended(ended),
                            last_line(ended.output), command_of(plan, c, round)));
  }
  if (!fs::exists(file)) {
    throw Error(fmt::format("{} {} wrote no trace: {}; the run was {}", program, how,
                            last_line(ended.output), command_of(plan, c, round)));
  }
  return {.trace = detail::read_trace(file), .warnings = warnings_in(ended.output)};
}

StudyRun::StudyRun(const StudyArguments& arguments, StudyPlan plan)
    : arguments_(arguments), plan_(std::move(plan)), launcher_(arguments.launcher) {
  if (!arguments_.machine.empty()) {
    detail::read_machine(arguments_.machine);  // before the runs, which take minutes
  } else if (ranks_to_calibrate() > 1) {
    calibration_program();
  }
}

void StudyRun::measure(const std::function<std::vector<Case*>(StudyRun&)>& again) {
  make_folders();
  runs_ = plan_.cases.size() * static_cast<std::size_t>(plan_.study.rounds);
  say_what_is_there();
  for (int round = 1; round <= plan_.study.rounds; ++round) {
    plan_round(all_of(plan_.cases), round);
  }
  if (!arguments_.quiet) {
    progress_.emplace("study", [this] { return look(); });
  }
  try {
    measure_all(again);
  } catch (const Stopped&) {
    progress_.reset();
    remove_folders_if_empty();
    const std::size_t done = traces_.size() + rehearsals_.size();
    if (done == 0) {
      throw Stopped("stopped before the first run was done");
    }
    throw Stopped(fmt::format("stopped; {} of {} runs are kept in {}: the same command goes on",
                              done, runs_, plan_.folder.string()));
  } catch (...) {
    progress_.reset();
    remove_folders_if_empty();
    throw;
  }
}

void StudyRun::end() {
  progress_.reset();
  if (!arguments_.quiet && !warnings_.empty()) {
    fmt::print(stderr, "{}\n", fmt::join(warnings_, "\n"));
  }
}

void StudyRun::make_folders() {
  make_folder(plan_.folder);
  for (const Case& c : plan_.cases) {
    make_folder(plan_.trace_of(c, 1).parent_path());
  }
  plan_.keep_messages(arguments_.messages);
  if (arguments_.fresh) {
    std::error_code error;
    for (const fs::path& file : plan_.traces()) {
      fs::remove(file, error);
    }
    fs::remove(plan_.folder / kMachineOfStudy, error);
  }
}

void StudyRun::remove_folders_if_empty() const {
  std::error_code error;  // a folder with anything in it stays
  if (plan_.traces().empty()) {
    fs::remove(plan_.assumed_network(), error);
    plan_.keep_messages({});
    if (!arguments_.machine.empty()) {
      fs::remove(plan_.folder / kMachineOfStudy, error);  // a copy
    }
  }
  fs::remove(plan_.folder / kTracesOfStudy, error);
  fs::remove(plan_.folder / kRehearsalsOfStudy, error);
  fs::remove(plan_.folder, error);
}

void StudyRun::say_what_is_there() const {
  std::size_t reused = 0;
  for (int round = 1; round <= plan_.study.rounds; ++round) {
    reused += static_cast<std::size_t>(
        std::count_if(plan_.cases.begin(), plan_.cases.end(),
                      [&](const Case& c) { return earlier(c, round).has_value(); }));
  }
  if (reused > 0 && !arguments_.quiet) {
    fmt::print(stderr,
               "study: {} of {} runs were made earlier and are reused from {}; --fresh makes all "
               "anew\n",
               reused, runs_, plan_.folder.string());
  }
  std::set<fs::path> own;
  for (int round = 1; round <= max_rounds(); ++round) {
    for (const Case& c : plan_.cases) {
      own.insert(plan_.trace_of(c, round));
    }
  }
  const std::vector<fs::path> there = plan_.traces();
  if (const auto others = std::count_if(there.begin(), there.end(),
                                        [&](const fs::path& file) { return !own.contains(file); });
      others > 0 && !arguments_.quiet) {
    fmt::print(stderr,
               "study: note: {} also holds {} traces of other runs, which cleave fit {} takes too; "
               "--fresh removes them\n",
               plan_.folder.string(), others, plan_.folder.string());
  }
}

bool StudyRun::has_time_for(double seconds) const {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
  return !arguments_.budget_s || gone.count() + seconds <= *arguments_.budget_s;
}

void StudyRun::measure_all(const std::function<std::vector<Case*>(StudyRun&)>& again) {
  set_up_machine();
  const std::vector<Case*> all = all_of(plan_.cases);
  const int rounds = plan_.study.rounds;
  for (int round = 1; round <= rounds; ++round) {
    measure_round(round, all);
  }
  for (int round = rounds + 1; round <= max_rounds() && has_time_for(0); ++round) {
    std::vector<Case*> cases = unsettled();
    for (Case* const c : again ? again(*this) : std::vector<Case*>()) {
      if (std::ranges::find(cases, c) == cases.end()) {
        cases.push_back(c);
      }
    }
    std::erase_if(cases, [&](const Case* c) { return !has_time_for(c->latest_s); });
    if (cases.empty()) {
      break;
    }
    runs_ += cases.size();
    plan_round(cases, round);
    // Rehearsals of what is asked for are repeated to narrow it, not as they were disturbed.
    if (std::ranges::any_of(cases, [&](const Case* c) {
          return !c->is_asked && !earlier(*c, round).has_value();
        })) {
      wait_before_again(round - rounds);
    }
    measure_round(round, cases);
  }
  begin_step("fitting");
}

/// What disturbs a host seldom lasts: before each further round twice as long.
void StudyRun::wait_before_again(int further) {
  const std::chrono::seconds time(1 << (further - 1));
  if (!has_time_for(static_cast<double>(time.count()))) {
    return;
  }
  {
    const std::lock_guard guard(mutex_);
    step_ = fmt::format("waiting for {} s before what differs is measured again", time.count());
  }
  wait_for(time);
}

void StudyRun::begin_step(const std::string& what) {
  const std::lock_guard guard(mutex_);
  const std::size_t steps = runs_ + (calibrates_ ? 1 : 0) + 1;
  ++begun_;
  step_ = fmt::format("[{}/{}] {}", begun_, steps, what);
}

void StudyRun::complete_run(bool is_reused) {
  const std::lock_guard guard(mutex_);
  const double weight = to_come_.front();
  to_come_.pop_front();
  done_ += is_reused ? 0 : weight;
}

void StudyRun::leave_out_run() {
  const std::lock_guard guard(mutex_);
  to_come_.pop_front();
  --runs_;
}

void StudyRun::plan_round(const std::vector<Case*>& cases, int round) {
  const std::lock_guard guard(mutex_);
  for (const Case* const c : in_turn(cases, round)) {
    to_come_.push_back(plan_.weight_of(*c));
  }
}

int StudyRun::max_rounds() const {
  constexpr int kMost = 8;
  return plan_.adds_rounds ? std::max(kMost, plan_.study.rounds) : plan_.study.rounds;
}

detail::Moment StudyRun::look() {
  const std::lock_guard guard(mutex_);
  const double rest = std::accumulate(to_come_.begin(), to_come_.end(), 0.0);
  return {.fraction = rest > 0 ? done_ / (done_ + rest) : 1, .step = step_};
}

/// Where a launcher starts ranks on other hosts they can be as many as are asked about.
int StudyRun::ranks_to_calibrate() const {
  int ranks = plan_.max_ranks();
  for (const Case& c : plan_.cases) {
    const int possible = launcher_.is_given() ? c.rehearsed : std::min(c.rehearsed, 2);
    ranks = std::max(ranks, possible);
  }
  return ranks;
}

/// The folder keeps its machine beside its traces, so that they can be fitted again.
void StudyRun::set_up_machine() {
  const fs::path file = plan_.folder / kMachineOfStudy;
  if (!arguments_.machine.empty()) {
    write_file(file, read_file(arguments_.machine));
  } else if (ranks_to_calibrate() == 1) {
    return;
  } else if (!is_calibrated_here(file)) {
    calibrate(file);
  }
  machine_file_ = file.string();
  plan_.assume_network_of(machine_file_);
}

/// Whether an earlier part of this study has calibrated the machine.
bool StudyRun::is_calibrated_here(const fs::path& file) const {
  if (!fs::exists(file)) {
    return false;
  }
  try {
    const detail::Machine machine = detail::read_machine(file);
    const auto of_all_ranks = [&](const detail::Communication& entry) {
      return entry.ranks >= ranks_to_calibrate();
    };
    return machine.provenance.host == detail::provenance_here("", "", "").host &&
           std::any_of(machine.exchange.begin(), machine.exchange.end(), of_all_ranks);
  } catch (const FileError&) {
    return false;
  }
}

void StudyRun::calibrate(const fs::path& file) {
  calibrates_ = true;
  const int ranks = ranks_to_calibrate();
  begin_step(fmt::format("calibrating the machine on {} ranks", ranks));
  const Ended ended =
      launcher_.run({.ranks = ranks}, calibration_program(), {"--out", file.string(), "--quiet"});
  if (ended.status != 0 || !fs::exists(file)) {
    throw Error(fmt::format("cleave-calibrate on {} {}: {}; give a machine file by --machine",
                            detail::format_ranks(ranks), how_it_ended(ended),
                            last_line(ended.output)));
  }
}

void StudyRun::measure_round(int round, const std::vector<Case*>& cases) {
  for (Case* const c : in_turn(cases, round)) {
    if (round > 1 && !has_time_for(c->latest_s)) {
      leave_out_run();
      continue;
    }
    std::optional<detail::Trace> trace = earlier(*c, round);
    const bool is_reused = trace.has_value();
    has_earlier_ = has_earlier_ || is_reused;
    if (is_reused) {
      begin_step("");
    } else {
      const std::string which = round <= plan_.study.rounds
                                    ? fmt::format("round {} of {}", round, plan_.study.rounds)
                                    : fmt::format("round {}, to be sure", round);
      begin_step(fmt::format("{} {} {}, {}", plan_.program.name, c->size, how_it_runs(*c), which));
      const auto begin = std::chrono::steady_clock::now();
      RanCase ran = run_case(plan_, launcher_, *c, round);
      trace = std::move(ran.trace);
      warnings_.insert(ran.warnings.begin(), ran.warnings.end());
      c->latest_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    complete_run(is_reused);
    std::vector<detail::Trace>& traces = c->rehearsed > 0 ? rehearsals_ : traces_;
    c->traces.push_back(traces.size());
    traces.push_back(std::move(*trace));
  }
}

/// The trace of a run that was made earlier: by this program, which has not been built anew since,
/// with these options, on this host.
std::optional<detail::Trace> StudyRun::earlier(const Case& c, int round) const {
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
        provenance.command_line.starts_with(command_of(plan_, c, round) + kTraceOption) &&
        (launcher_.is_given() || provenance.host == detail::provenance_here("", "", "").host);
    return is_same ? std::optional(std::move(trace)) : std::nullopt;
  } catch (const FileError&) {
    return std::nullopt;  // cut short, or of another version
  }
}

/// The cases whose two quickest rounds differ by more than 3 %.
std::vector<Case*> StudyRun::unsettled() {
  constexpr double kAgree = 0.03;
  std::vector<Case*> cases;
  for (Case& c : plan_.cases) {
    if (c.is_asked) {
      continue;
    }
    std::vector<double> medians;
    for (const std::size_t trace : c.traces) {
      std::vector<double> seconds;
      for (const detail::Trace::Run& run : traces_with(c)[trace].repetitions) {
        if (!run.warm_up) {
          seconds.push_back(seconds_of(run.elapsed_ns));
        }
      }
      if (!seconds.empty()) {
        medians.push_back(detail::median(std::move(seconds)));
      }
    }
    if (medians.size() < 2 || quickest_rounds_apart(std::move(medians)) > kAgree) {
      cases.push_back(&c);
    }
  }
  return cases;
}

}  // namespace cleave::models
