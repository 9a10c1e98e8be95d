// SPDX-License-Identifier: Apache-2.0
// cleave study: calibrate, run a program at many sizes with traces, fit, and report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/words.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/report/text.hpp"
#include "models/report/write_report.hpp"
#include "models/study/study_run.hpp"
#include "models/study/subprocess.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/plan.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

namespace {

Json to_json(const StudyPlan& plan, const Report& report) {
  Json object = {{"app", report.model.app},
                 {"folder", plan.folder.string()},
                 {"model", (plan.folder / (plan.file_name + ".model.json")).string()},
                 {"page", (plan.folder / "report.html").string()}};
  object.update(to_json(report));
  return object;
}

/// The sizes of the run that was rehearsed.
const NamedSizes& sizes_of(const StudyRun& run, const Case& rehearsal) {
  return run.rehearsals()[rehearsal.traces.front()].repetitions.back().sizes;
}

/// What was rehearsed so far, with what is asked of it.
std::vector<RehearsedRun> rehearsed_so_far(const Model& model, const StudyRun& run) {
  std::vector<RehearsedRun> rehearsed = rehearsed_runs(model, run.rehearsals());
  for (const Case& c : run.plan().cases) {
    for (RehearsedRun& of : rehearsed) {
      of.is_asked =
          of.is_asked || (c.is_asked && of.ranks == c.rehearsed && of.sizes == sizes_of(run, c));
    }
  }
  return rehearsed;
}

/// Half the width of an interval, relative.
double half_width(const Prediction& p) { return (p.high - p.low) / (2 * p.seconds); }

/// Whether the interval comes from the blocks more than from the network.
bool is_wide_by_blocks(const Prediction& p) {
  return p.half_width_of_blocks > std::log(p.high / p.low) / 4;
}

/// What would make a wide answer narrower.
std::string narrower_by(const Prediction& p, double within) {
  return fmt::format(
      "{} on {}: within {:.0f} %, {:.0f} % was asked for; {}", format_sizes(p.sizes),
      detail::format_ranks(p.ranks), 100 * half_width(p), 100 * within,
      is_wide_by_blocks(p)
          ? "rehearse on an idle host, or for longer (--rounds, --budget)"
          : fmt::format("calibrate the network there (mpiexec -n {} cleave-calibrate) and give it "
                        "by --machine",
                        p.ranks));
}

/// The report of a model that is fitted to the runs that are not held out; to all, where those
/// determine too few coefficients. Writes the model.
Report fit_and_judge(const StudyPlan& plan, const Measurements& measurements,
                     const std::optional<detail::Machine>& machine,
                     const detail::Provenance& provenance,
                     const std::filesystem::path& model_file) {
  const auto judge = [&](const Model& model) {
    write_model(model_file, model);
    return make_report(model, measurements, std::nullopt);
  };
  const Model model = fit_model(measurements, machine, plan.fit, provenance);
  try {
    return judge(model);
  } catch (const Error& error) {
    if (plan.fit.hold_out == HoldOut::none) {
      throw;
    }
    FitOptions to_all = plan.fit;
    to_all.hold_out = HoldOut::none;
    Model of_all = fit_model(measurements, machine, to_all, provenance);
    of_all.notes.push_back(fmt::format(
        "all sizes are fitted and none is held out to test the fit; with some held out, {}",
        error.what()));
    return judge(of_all);
  }
}

/// The report of what was rehearsed, judged by all runs. They are fitted for what a rehearsal does
/// not tell: how long messages are, and what the host does on top. Writes the model.
Report rehearse_and_judge(StudyRun& run, const Measurements& measurements,
                          const std::optional<detail::Machine>& machine,
                          const detail::Provenance& provenance, double within,
                          const std::filesystem::path& model_file) {
  Model model = fit_model(measurements, machine, run.plan().fit, provenance);
  Report report = make_report(model, measurements, std::nullopt, rehearsed_so_far(model, run));
  for (const Answer& answer : report.asked) {
    if (answer.prediction && half_width(*answer.prediction) > within) {
      report.notes.push_back({.text = narrower_by(*answer.prediction, within)});
    }
  }
  model.verdict = report.verdict;
  write_model(model_file, model);
  return report;
}

/// The command line, with what is text there.
struct CommandLine {
  StudyArguments study;
  std::string ranks = "1,2";
  std::string threads = "1";
  std::string at;
  double within_percent = 5;
  std::string budget;
  FitArguments fit{.hold_out = "every-second"};
};

/// What is asked and not yet answered as narrowly as is wanted, where a rehearsal would help.
std::vector<Case*> wide_answers(StudyRun& run, const FitArguments& fit, double within) {
  std::vector<Case*> wide;
  if (run.rehearsals().empty()) {
    return wide;
  }
  const Measurements measurements = fit.measurements(collect_measurements(run.traces()));
  const Model model =
      fit_model(measurements, read_machine_if_given(run.machine_file()), run.plan().fit, {});
  for (const Answer& answer : answers_of(model, rehearsed_so_far(model, run))) {
    const bool is_wide = answer.prediction && half_width(*answer.prediction) > within &&
                         is_wide_by_blocks(*answer.prediction);
    for (Case& c : run.cases()) {
      if (is_wide && c.is_asked && c.rehearsed == answer.ranks &&
          std::ranges::includes(sizes_of(run, c), answer.prediction->sizes)) {
        wide.push_back(&c);
      }
    }
  }
  return wide;
}

void fit_and_report(const FitArguments& fit, StudyRun& run, double within,
                    const Answering& answering, const std::string& command_line) {
  const StudyPlan& plan = run.plan();
  const std::string model_file = plan.file_name + ".model.json";
  const Measurements measurements = fit.measurements(collect_measurements(run.traces()));
  const std::optional<detail::Machine> machine = read_machine_if_given(run.machine_file());
  const detail::Provenance provenance =
      detail::provenance_here("cleave study", command_line, "none");
  Report report =
      run.rehearsals().empty()
          ? fit_and_judge(plan, measurements, machine, provenance, plan.folder / model_file)
          : rehearse_and_judge(run, measurements, machine, provenance, within,
                               plan.folder / model_file);
  report.timeline = largest_run(run.traces());
  report.origin.model = plan.folder.string();
  write_report(plan.folder, report);
  run.end();
  answering.print(to_json(plan, report));
  if (answering.is_for_people()) {
    const std::string plot = to_terminal(plot_of_answers(report), terminal_style());
    answering.say(fmt::format("{}\nwritten: {}, {}, traces/\n", to_terminal(report, plot),
                              (plan.folder / "report.html").string(), model_file));
  }
}

void run(CommandLine& given, const Answering& answering, const std::string& command_line) {
  StudyArguments& arguments = given.study;
  arguments.quiet = answering.quiet;
  if (arguments.program.empty()) {
    throw UsageError("a program is required, for example cleave study ./myprogram");
  }
  arguments.ranks = parse_ranks(given.ranks);
  arguments.threads = parse_ranks(given.threads);
  arguments.within = given.within_percent / 100;
  if (!given.at.empty()) {
    arguments.at = parse_ranks(given.at);
  } else if (!arguments.at_sizes.empty() || !given.budget.empty()) {
    throw UsageError(
        "--size and --budget go with --at, for example --at 64 --size N=24M; a study's own sizes "
        "are --sizes");
  }
  if (!given.budget.empty()) {
    arguments.budget_s = parse_duration(given.budget);
  }
  arguments.fit = given.fit.options();
  arguments.allow_oversubscribed = given.fit.allow_oversubscribed;
  catch_interrupts();
  StudyRun study(arguments, plan_study(arguments));
  if (!answering.quiet) {
    for (const std::string& note : study.plan().notes) {
      fmt::print(stderr, "study: note: {}\n", note);
    }
  }
  study.measure(
      [&](StudyRun& so_far) { return wide_answers(so_far, given.fit, arguments.within); });
  fit_and_report(given.fit, study, arguments.within, answering, command_line);
}

}  // namespace

void add_study_command(CLI::App& program, const std::string& command_line) {
  auto given = std::make_shared<CommandLine>();
  StudyArguments* const arguments = &given->study;
  CLI::App* command = program.add_subcommand(
      "study", "Calibrate, run a program at many sizes, fit a model and report");
  command->add_option("program", arguments->program,
                      "A path (./myprogram), or NAME: the program cleave-NAME beside cleave, NAME "
                      "in the PATH or ./NAME");
  command->add_option("--type", arguments->type,
                      "Executor: hypercube or work_stealing [program's]");
  command->add_option("--ranks", given->ranks, "Numbers of ranks")->capture_default_str();
  command->add_option("--threads", given->threads, "Numbers of threads of a rank (work_stealing)")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "Instead of the program's sizes: each as its option takes it (N=1M), or as "
                      "options in quotes (\"-n 9 -m 4\")");
  command->add_option("--at", given->at,
                      "Answer for these numbers of ranks: rehearse them here, and judge "
                      "rehearsals by a few small runs");
  command
      ->add_option("--size", arguments->at_sizes,
                   "With --at: the sizes to answer for, as the program's option takes them [its "
                   "study's largest]")
      ->take_all();
  command
      ->add_option("--within", given->within_percent,
                   "With --at: rehearse until 95 % lie within so many percent of the answer")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--budget", given->budget,
                      "With --at: rehearse nothing again after this time, e.g. 90s, 10m or 1h");
  command->add_option(
      "--rounds", arguments->rounds,
      "Times that every size is run; without it until its two quickest rounds agree "
      "within 3 %, at most 8");
  command->add_option("--repetitions", arguments->repetitions,
                      "Counted repetitions of each run [program's]");
  command->add_option("--out", arguments->out, "Folder to write into (default: NAME-study)");
  command->add_flag("--fresh", arguments->fresh,
                    "Make all runs anew; without it runs that the folder holds are reused");
  command->add_option("--machine", arguments->machine,
                      "A machine file; without it the machine is calibrated");
  command->add_option("--launcher", arguments->launcher,
                      "How ranks are started, e.g. \"mpiexec -n {ranks}\"");
  command->add_flag("--quick", arguments->quick, "Small sizes");
  given->fit.add_to(*command);
  command->add_option("--status", arguments->status,
                      "Keep in this file how far the study is and when it ends, as one JSON "
                      "object");
  auto answering = std::make_shared<Answering>();
  answering->add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave study ./mysort\n"
      "  cleave study ./mysort --at 64 --size N=24M --machine cluster.machine.json\n"
      "  cleave study quicksort --quick --sizes N=64K N=256K N=1M\n"
      "  cleave study ./mysearch --threads 1,2 --status status.json -- --seed 7");
  command->add_option("options", arguments->options, "After --: options of the program");
  command->callback([given, answering, command, command_line] {
    given->study.hold_out_is_given = command->count("--hold-out") > 0;
    run(*given, *answering, command_line);
  });
}

}  // namespace cleave::models
