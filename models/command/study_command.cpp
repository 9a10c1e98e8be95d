// SPDX-License-Identifier: Apache-2.0
// cleave study: calibrate, run a program at many sizes with traces, fit, and report.
#include <fmt/format.h>

#include <memory>

#include "models/command/commands.hpp"
#include "models/command/study_run.hpp"
#include "models/command/subprocess.hpp"
#include "models/command/write_report.hpp"
#include "models/model/model_file.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

namespace {

void fit_and_report(const StudyArguments& arguments, const StudyRun& run,
                    const std::string& command_line) {
  const StudyPlan& plan = run.plan();
  const std::optional<Machine> machine = read_machine_if_given(run.machine_file());
  const Measurements measurements = arguments.fit.measurements(run.traces());
  const Model model = fit_model(measurements, machine, plan.fit,
                                provenance_here("cleave study", command_line, "none"));
  const std::string model_file = plan.file_name + ".model.json";
  write_model(plan.folder / model_file, model);
  Report report = make_report(model, measurements, std::nullopt);
  report.timeline = largest_run(run.traces());
  report.origin.model = plan.folder.string();
  write_report(plan.folder, report);
  fmt::print("{}\nwritten: {}, {}, traces/\n", to_terminal(report),
             (plan.folder / "report.html").string(), model_file);
}

void run(const StudyArguments& arguments, const std::string& command_line) {
  if (arguments.program.empty()) {
    throw UsageError("a program is required, for example cleave study ./myprogram");
  }
  catch_interrupts();
  StudyRun study(arguments, plan_study(arguments));
  for (const std::string& note : study.plan().notes) {
    fmt::print(stderr, "study: note: {}\n", note);
  }
  study.measure();
  fit_and_report(arguments, study, command_line);
}

}  // namespace

void add_study_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<StudyArguments>();
  CLI::App* command = program.add_subcommand(
      "study", "Calibrate, run a program at many sizes, fit a model and report");
  command->add_option("program", arguments->program,
                      "A path (./myprogram), or NAME: the program cleave-NAME beside cleave, NAME "
                      "in the PATH or ./NAME");
  command->add_option("--type", arguments->type,
                      "Executor: hypercube or work_stealing [program's]");
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks")->capture_default_str();
  command
      ->add_option("--threads", arguments->threads, "Numbers of threads of a rank (work_stealing)")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "Instead of the program's sizes: each as its option takes it (N=1M), or as "
                      "options in quotes (\"-n 9 -m 4\")");
  command->add_option("--rounds", arguments->rounds,
                      "Times that every size is run [program's]; once more, at most twice as "
                      "often, while fewer than a third of its repetitions found the cores as fast "
                      "as other runs did");
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
  arguments->fit.add_to(*command);
  command->add_option("options", arguments->options, "After --: options of the program");
  command->callback([arguments, command, command_line] {
    arguments->hold_out_is_given = command->count("--hold-out") > 0;
    run(*arguments, command_line);
  });
}

}  // namespace cleave::models
