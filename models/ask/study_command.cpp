// SPDX-License-Identifier: Apache-2.0
// cleave study: calibrate, rehearse what is asked, run a few sizes that judge it, fit, and report.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include <cleave/command_line/options.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/provenance.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/study_answers.hpp"
#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/study_run.hpp"
#include "models/study/subprocess.hpp"
#include "models/theory/model_file.hpp"

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

/// The command line, with what is text there.
struct StudyCommandArguments {
  StudyArguments study;
  std::string ranks = "1,2";
  std::string threads = "1";
  std::string at = "2,8,64";
  double within_percent = 5;
  FitArguments fit;
  bool details = false;
};

/// "5" or "5%".
void parse_percent(std::string& text) {
  const std::string number = text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
  double percent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (error != std::errc() || end != number.data() + number.size() || !(percent > 0) ||
      percent > 100) {
    throw UsageError(
        fmt::format("'{}' is not a percentage above 0 and up to 100, for example 5%", text));
  }
  text = number;
}

void fit_and_report(const StudyCommandArguments& given, StudyRun& run, const Answering& answering,
                    const std::string& command_line) {
  const StudyPlan& plan = run.plan();
  const std::string model_file = plan.file_name + ".model.json";
  Report report = report_of(run, given.fit, given.study.within,
                            detail::provenance_here("cleave study", command_line, "none"));
  write_model(plan.folder / model_file, report.model);
  report.origin.model = (plan.folder / model_file).string();
  write_report(plan.folder, report);
  run.end();
  answering.print(to_json(plan, report));
  if (answering.is_for_people()) {
    answering.say(to_terminal(report, given.details) + '\n' +
                  wrapped(fmt::format("written: {}, {}, traces/",
                                      (plan.folder / "report.html").string(), model_file)));
  }
}

void run(StudyCommandArguments& given, const Answering& answering,
         const std::string& command_line) {
  StudyArguments& arguments = given.study;
  arguments.quiet = answering.quiet;
  if (arguments.program.empty()) {
    throw UsageError("a program is required, for example cleave study ./myprogram");
  }
  arguments.ranks = parse_ranks("--ranks", given.ranks);
  arguments.threads = parse_ranks("--threads", given.threads);
  arguments.within = given.within_percent / 100;
  arguments.at = parse_ranks("--at", given.at);
  arguments.fit = given.fit.options();
  arguments.allow_oversubscribed = given.fit.allow_oversubscribed;
  catch_interrupts();
  StudyRun study(arguments, plan_study(arguments));
  study.measure([&](StudyRun& so_far) {
    return cases_again(so_far, report_of(so_far, given.fit, arguments.within, {}),
                       arguments.within);
  });
  fit_and_report(given, study, answering, command_line);
}

}  // namespace

void add_study_command(CLI::App& program, const std::string& command_line) {
  auto given = std::make_shared<StudyCommandArguments>();
  StudyArguments* const arguments = &given->study;
  CLI::App* command = program.add_subcommand(
      "study", "Calibrate, rehearse a program on many ranks, judge it by a few runs, and report");
  command->add_option("program", arguments->program,
                      "A path (./myprogram), or NAME: the program cleave-NAME beside cleave, NAME "
                      "in the PATH or ./NAME");
  command->add_option("--type", arguments->type,
                      "Executor: hypercube or work_stealing [program's]");
  command->add_option("--ranks", given->ranks, "Numbers of ranks to run")->capture_default_str();
  command
      ->add_option("--threads", given->threads,
                   "Numbers of threads of a rank; of the hypercube one number")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "What is run instead of three of the program's sizes: each as its option "
                      "takes it (N=1M), or as "
                      "options in quotes (\"-n 9 -m 4\")");
  command->add_option("--at", given->at, "Numbers of ranks to answer for, which are rehearsed here")
      ->capture_default_str();
  command
      ->add_option("--size", arguments->at_sizes,
                   "The sizes to answer for, as the program's option takes them [its default, or "
                   "the last of --sizes, --quick and of studies of other options]")
      ->take_all();
  command
      ->add_option("--within", given->within_percent,
                   "Rehearse until what was measured leaves at most so much doubt, e.g. 5%; what "
                   "rehearsals miss themselves (6 %, of searches more) comes on top")
      ->capture_default_str()
      ->transform(detail::ParsedBy(parse_percent))
      ->type_name("PERCENT");
  command
      ->add_option(
          "--budget", arguments->budget_s,
          "Run and rehearse everything once, and again only what ends within this time, e.g. "
          "90s, 10m or 1h")
      ->transform(detail::Duration())
      ->type_name("TIME");
  command->add_option(
      "--rounds", arguments->rounds,
      "Times that every size is run; without it until its two quickest rounds agree "
      "within 3 % and no run is outside its interval, at most 8, with pauses");
  command->add_option("--repetitions", arguments->repetitions,
                      "Counted repetitions of each run [program's]");
  command->add_option("--out", arguments->out, "Folder to write into (default: NAME-study)");
  command->add_flag("--fresh", arguments->fresh,
                    "Make all runs anew; without it runs that the folder holds are reused");
  command->add_option("--machine", arguments->machine,
                      "A machine file; without it the machine is calibrated");
  command
      ->add_option("--messages", arguments->messages,
                   "What cleave-calibrate --like wrote for the ranks and sizes to answer for")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--launcher", arguments->launcher,
                      "How ranks are started, e.g. \"mpiexec -n {ranks}\"");
  command->add_flag("--quick", arguments->quick, "Small sizes");
  given->fit.add_to(*command);
  command->add_flag("--details", given->details, kDetailsOfTables);
  auto answering = std::make_shared<Answering>();
  answering->add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave study ./mysort\n"
      "  cleave study ./mysort --at 64 --size N=24M --within 5% --budget 10m\n"
      "  cleave study ./mysort --at 64 --size N=24M --machine cluster.machine.json\n"
      "  cleave study quicksort --quick --sizes N=64K N=256K N=1M\n"
      "  cleave study ./mysearch --threads 1,2 -- --seed 7");
  command->add_option("options", arguments->options, "After --: options of the program");
  command->callback([given, answering, command_line] { run(*given, *answering, command_line); });
}

}  // namespace cleave::models
