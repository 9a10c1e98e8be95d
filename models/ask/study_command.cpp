// SPDX-License-Identifier: Apache-2.0
// cleave study: calibrate, rehearse what is asked, run a few sizes that judge it, fit, and report.
#include <fmt/format.h>

#include <memory>

#include <cleave/command_line/options.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/study_run.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

namespace {

void run(const StudyArguments& arguments, const Answering& answering,
         const std::string& command_line) {
  require_option(arguments.program, "a program", "cleave study ./myprogram");
  catch_interrupts();
  StudyPlan plan = plan_study(arguments);
  const StudyTraces traces = run_study(plan);
  Report report =
      report_of(plan, traces, detail::provenance_here("cleave study", command_line, "none"));
  answer_left_out(report, plan, traces);
  const std::string model = (plan.folder / (plan.file_name + ".model.json")).string();
  const std::string page = (plan.folder / "report.html").string();
  write_model(model, report.model);
  report.origin.model = model;
  write_report(plan.folder, report);
  answering.print([&](detail::JsonFields& object) {
    object("app", report.model.app)("folder", plan.folder.string())("model", model)("page", page);
    fields(object, report);
  });
  answering.say(told(report, page));
}

}  // namespace

void add_study_command(CLI::App& program, const std::string& command_line,
                       const std::vector<std::string>& options) {
  auto arguments = std::make_shared<StudyArguments>();
  arguments->options = options;
  CLI::App* command = program.add_subcommand(
      "study", "Calibrate, rehearse a program on many ranks, judge it by a few runs, and report");
  command->add_option("program", arguments->program,
                      "A path (./myprogram), or NAME: the program cleave-NAME beside cleave, NAME "
                      "in the PATH or ./NAME. Its own options follow after --");
  add_numbers(*command, "--ranks", arguments->ranks, "Numbers of ranks to run");
  add_numbers(*command, "--threads", arguments->threads,
              "Numbers of threads of a rank; of the hypercube one number");
  command->add_option("--sizes", arguments->sizes,
                      "What is run instead of three of the program's sizes: each as its option "
                      "takes it (N=1M), or as options, each by --sizes=\"-n 9 -m 4\"");
  add_numbers(*command, "--at", arguments->at,
              "Numbers of ranks to answer for, which are rehearsed here");
  command
      ->add_option("--size", arguments->at_sizes,
                   "The sizes to answer for, as the program's option takes them [its default, or "
                   "the last of --sizes, --quick and of studies of other options]")
      ->take_all();
  command
      ->add_option(
          "--budget", arguments->budget_s,
          "End within this time, e.g. 10m, naming what is left out [60s; none by --rounds]")
      ->transform(detail::Duration())
      ->type_name("TIME");
  command
      ->add_option("--rounds", arguments->rounds,
                   "Times that every size is run, each time by a process of its own [3 or more]")
      ->check(CLI::Range(1, 1000));
  command->add_option(
      "--out", arguments->out,
      "Folder to write into, whose runs of the same program and files stay [NAME-study]");
  command->add_option("--machine", arguments->machine,
                      "A machine file; without it the machine is calibrated");
  command->add_option("--launcher", arguments->launcher,
                      "How ranks are started, e.g. \"mpiexec -n {ranks}\"");
  command->add_flag("--quick", arguments->quick, "Small sizes");
  command->add_flag("--allow-oversubscribed", arguments->allow_oversubscribed,
                    "Also fit runs with more ranks than cores");
  auto answering = std::make_shared<Answering>();
  answering->add_to(*command);
  command->footer("Examples:\n  cleave study ./mysort --at 64 --size N=24M --budget 10m");
  command->callback(
      [arguments, answering, command_line] { run(*arguments, *answering, command_line); });
}

}  // namespace cleave::models
