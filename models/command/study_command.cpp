// SPDX-License-Identifier: Apache-2.0
// cleave study: calibrate, run an application at many sizes with traces, fit, and report.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/program.hpp"
#include "models/command/studies.hpp"
#include "models/command/subprocess.hpp"
#include "models/command/write_report.hpp"
#include "models/files.hpp"
#include "models/model_file.hpp"
#include "models/report/cells.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

namespace {

struct Arguments {
  std::string app;
  std::string type = "hypercube";
  std::string ranks = "1,2";
  std::string threads = "1";
  std::vector<std::string> sizes;
  std::optional<int> rounds;
  std::optional<int> repetitions;
  std::string out;
  std::string machine;
  std::string launcher;
  bool quick = false;
  FitArguments fit{.hold_out = "every-second"};
  std::vector<std::string> app_options;  ///< after "--"
};

/// How many ranks, and threads of each.
struct Workers {
  int ranks = 1;
  int threads = 1;
};

/// One size on one number of workers, and the traces of its rounds.
struct Case {
  std::string size;
  Workers workers;
  std::vector<std::size_t> traces = {};
};

/// Letters and digits of `text`, with a dash for all between: fit for a file name.
std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

/// Starts programs under the launcher.
class Launcher {
 public:
  explicit Launcher(std::string given) : given_(std::move(given)) {}

  /// \throws Error  with the last line that the program wrote, if it fails
  void run(const Workers& workers, const std::filesystem::path& program,
           const std::vector<std::string>& options) const {
    const int ranks = workers.ranks;
    std::vector<std::string> words = launcher(workers);
    words.push_back(program.string());
    words.insert(words.end(), options.begin(), options.end());
    const Ended ended = run_program(words);
    if (ended.status != 0) {
      throw Error(fmt::format("{} on {} ended with status {}: {}", program.filename().string(),
                              format_ranks(ranks), ended.status, last_line(ended.output)));
    }
  }

 private:
  std::vector<std::string> launcher(const Workers& workers) const {
    const std::string cores =
        workers.threads == 1 ? "core" : fmt::format("core:{}", workers.threads);
    const std::string bound = fmt::format("{} -bind-to {} -n {{ranks}}", CLEAVE_MPIEXEC, cores);
    const std::string unbound = std::string(CLEAVE_MPIEXEC) + " -n {ranks}";
    const bool have_cores = workers.ranks * workers.threads <= usable_cores();
    std::istringstream text(!given_.empty() ? given_ : have_cores ? bound : unbound);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
      constexpr std::string_view kRanks = "{ranks}";
      if (const auto at = word.find(kRanks); at != std::string::npos) {
        word.replace(at, kRanks.size(), std::to_string(workers.ranks));
      }
      words.push_back(std::move(word));
    }
    return words;
  }

  static std::string last_line(const std::string& output) {
    std::istringstream lines(output);
    std::string last = "it wrote nothing";
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r=") != std::string::npos) {
        last = line;
      }
    }
    return last;
  }

  std::string given_;
};

std::filesystem::path existing_program(const std::string& name) {
  std::filesystem::path path = program_folder() / name;
  if (!std::filesystem::exists(path)) {
    throw UsageError(fmt::format("there is no program {} in {}", name, program_folder().string()));
  }
  return path;
}

/// The value of the option `name` among the application's options; empty without one.
std::string value_asked(std::string_view name, const std::vector<std::string>& options) {
  for (auto option = options.begin(); option != options.end(); ++option) {
    if (*option == name && option + 1 != options.end()) {
      return *(option + 1);
    }
    if (option->starts_with(name) && option->substr(name.size()).starts_with('=')) {
      return option->substr(name.size() + 1);
    }
  }
  return "";
}

class StudyRun {
 public:
  StudyRun(const Arguments& arguments, std::string command_line)
      : arguments_(arguments),
        command_line_(std::move(command_line)),
        launcher_(arguments.launcher),
        program_(existing_program("cleave-" + arguments.app)),
        workers_(workers_of(arguments)),
        study_(study_of(arguments.app, arguments.type,
                        value_asked("--placement", arguments.app_options), arguments.quick)),
        fit_options_(arguments.fit.options()),
        folder_(arguments.out.empty() ? arguments.app + "-study" : arguments.out) {
    if (!arguments.sizes.empty()) {
      study_.sizes = arguments.sizes;
    }
    if (study_.sizes.empty()) {
      throw UsageError(fmt::format("no sizes are known for {}: give --sizes", arguments.app));
    }
    for (const std::string& size : study_.sizes) {
      if (study_.size_option == "--size" && !size.starts_with('-')) {
        parse_sizes(size);
      }
    }
    read_machine_if_given(arguments.machine);  // before the runs, which take minutes
    study_.rounds = arguments.rounds.value_or(study_.rounds);
    study_.repetitions = arguments.repetitions.value_or(study_.repetitions);
    if (study_.rounds < 1 || study_.repetitions < 1) {
      throw UsageError("--rounds and --repetitions must be at least 1");
    }
  }

  void run() {
    make_folder(folder_);
    make_folder(folder_ / "traces");
    catch_interrupts();
    progress_.emplace("study", true);
    try {
      measure();
    } catch (const Interrupted&) {
      throw Interrupted(fmt::format("stopped; {} of {} runs are kept in {}", traces_.size(), runs_,
                                    (folder_ / "traces").string()));
    }
    progress_.reset();
    fit_and_report();
  }

 private:
  /// Threads beyond the cores are left out: what such runs measure is who runs when.
  static std::vector<Workers> workers_of(const Arguments& arguments) {
    std::vector<Workers> all;
    const std::vector<int> threads = parse_ranks(arguments.threads);
    if (arguments.type != "work_stealing" && threads != std::vector{1}) {
      throw UsageError("--threads is for --type work_stealing");
    }
    for (const int ranks : parse_ranks(arguments.ranks)) {
      for (const int of_rank : threads) {
        if (of_rank == 1 || ranks * of_rank <= usable_cores() ||
            arguments.fit.allow_oversubscribed) {
          all.push_back({ranks, of_rank});
        }
      }
    }
    if (all.empty()) {
      throw UsageError(fmt::format("--threads: all of {} outnumber the {} cores", arguments.threads,
                                   usable_cores()));
    }
    return all;
  }

  void measure() {
    for (const std::string& size : study_.sizes) {
      for (const Workers& workers : workers_) {
        cases_.push_back({size, workers});
      }
    }
    runs_ = cases_.size() * static_cast<std::size_t>(study_.rounds);
    const int max_ranks =
        std::max_element(workers_.begin(), workers_.end(), [](const auto& a, const auto& b) {
          return a.ranks < b.ranks;
        })->ranks;
    machine_file_ = arguments_.machine;
    if (machine_file_.empty() && max_ranks > 1) {
      calibrate(max_ranks);
    }
    std::vector<Case*> all;
    for (Case& c : cases_) {
      all.push_back(&c);
    }
    for (int round = 1; round <= study_.rounds; ++round) {
      measure_round(round, all);
    }
    for (int again = 1; again <= study_.rounds; ++again) {
      const std::vector<Case*> throttled = mostly_throttled();
      if (throttled.empty()) {
        break;
      }
      runs_ += throttled.size();
      measure_round(study_.rounds + again, throttled);
    }
  }

  void begin_step(const std::string& what) {
    const std::size_t steps = runs_ + (calibrated_ ? 1 : 0);
    const double done = static_cast<double>(begun_++) / static_cast<double>(steps);
    progress_->update(done, fmt::format("[{}/{}] {}", begun_, steps, what));
  }

  void calibrate(int ranks) {
    calibrated_ = true;
    begin_step(fmt::format("calibrating the machine on {} ranks", ranks));
    const std::filesystem::path file = folder_ / "this.machine.json";
    launcher_.run({.ranks = ranks}, existing_program("cleave-calibrate"), {"--out", file.string()});
    machine_file_ = file.string();
  }

  /// In turn forwards and backwards, so that a machine that becomes slower meanwhile does not make
  /// one size or one number of ranks slower than the others.
  void measure_round(int round, std::vector<Case*> cases) {
    if (round % 2 == 0) {
      std::reverse(cases.begin(), cases.end());
    }
    for (Case* const c : cases) {
      const std::string which = round <= study_.rounds
                                    ? fmt::format("round {} of {}", round, study_.rounds)
                                    : fmt::format("round {}, as a core was slower before", round);
      begin_step(fmt::format("{} {} on {}, {}", arguments_.app, c->size,
                             format_workers(c->workers.ranks, c->workers.threads), which));
      c->traces.push_back(traces_.size());
      traces_.push_back(read_trace(measure(*c, round)));
    }
  }

  /// The cases of which fewer than a third of the repetitions asked for found the cores as fast as
  /// they can be.
  std::vector<Case*> mostly_throttled() {
    std::vector<Case*> throttled;
    if (arguments_.fit.throttled == Throttled::counted) {
      return throttled;
    }
    const CountedRepetitions counted(traces_);
    for (Case& c : cases_) {
      int free = 0;
      for (const std::size_t trace : c.traces) {
        free += counted.free_repetitions(traces_[trace]);
      }
      if (3 * free < study_.rounds * study_.repetitions) {
        throttled.push_back(&c);
      }
    }
    return throttled;
  }

  /// A size is a value of one option, or begins with '-' and is options itself.
  std::vector<std::string> options_of(const std::string& size) const {
    if (!size.starts_with('-')) {
      return {study_.size_option, size};
    }
    std::vector<std::string> words;
    std::istringstream text(size);
    for (std::string word; text >> word;) {
      words.push_back(std::move(word));
    }
    return words;
  }

  /// \return  the trace
  std::filesystem::path measure(const Case& c, int round) const {
    const auto [ranks, threads] = c.workers;
    const std::string workers =
        threads == 1 ? fmt::format("p{}", ranks) : fmt::format("p{}t{}", ranks, threads);
    const std::filesystem::path trace = folder_ / "traces" /
                                        fmt::format("{}-{}-{}-{}.trace.jsonl", arguments_.app,
                                                    file_name_of(c.size), workers, round);
    std::vector<std::string> options = options_of(c.size);
    options.insert(options.end(),
                   {"--type", arguments_.type, "--repetitions", std::to_string(study_.repetitions),
                    "--warm-up", std::to_string(study_.warm_up), "--trace", trace.string()});
    if (arguments_.type == "work_stealing") {
      options.insert(options.end(), {"--threads", std::to_string(threads)});
    }
    const auto& own = arguments_.app_options;
    const auto add_unless_asked = [&](const char* name, const std::string& value) {
      if (!value.empty() && value_asked(name, own).empty()) {
        options.insert(options.end(), {name, value});
      }
    };
    // Another input each round, so that the luck of one does not pass for a law.
    add_unless_asked("--seed", std::to_string(round));
    add_unless_asked("--placement", study_.placement);
    add_unless_asked("--inputs", study_.inputs);
    options.insert(options.end(), own.begin(), own.end());
    launcher_.run(c.workers, program_, options);
    return trace;
  }

  void fit_and_report() const {
    const std::optional<Machine> machine = read_machine_if_given(machine_file_);
    const Measurements measurements = arguments_.fit.measurements(traces_);
    const Model model = fit_model(measurements, machine, fit_options_,
                                  provenance_here("cleave study", command_line_, "none"));
    write_model(folder_ / (arguments_.app + ".model.json"), model);
    const Report report = make_report(model, measurements, std::nullopt);
    write_report(folder_, report);
    fmt::print("{}\nwritten: {}, {}.model.json, traces/\n", to_terminal(report),
               (folder_ / "report.html").string(), arguments_.app);
  }

  const Arguments& arguments_;
  std::string command_line_;
  Launcher launcher_;
  std::filesystem::path program_;
  std::vector<Workers> workers_;
  Study study_;
  FitOptions fit_options_;
  std::filesystem::path folder_;
  std::string machine_file_;
  bool calibrated_ = false;
  std::vector<Case> cases_;
  std::size_t runs_ = 0;  ///< that there are to be
  std::vector<Trace> traces_;
  std::size_t begun_ = 0;  ///< steps
  std::optional<Progress> progress_;
};

}  // namespace

void add_study_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "study", "Calibrate, run an application at many sizes, fit a model and report");
  command->add_option("app", arguments->app, "quicksort, components, uts or another cleave-APP")
      ->required();
  command->add_option("--type", arguments->type, "Executor")
      ->check(CLI::IsMember({"hypercube", "work_stealing"}))
      ->capture_default_str();
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks")->capture_default_str();
  command
      ->add_option("--threads", arguments->threads, "Numbers of threads of a rank (work_stealing)")
      ->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "Instead of the usual sizes: each as the application takes it, or as options "
                      "in quotes (\"-t 1 -d 12\")");
  command->add_option("--rounds", arguments->rounds,
                      "Times that every size is run [by application, 3 to 6]; once more, at most "
                      "twice as often, while fewer than a third of its repetitions found the cores "
                      "as fast as other runs did");
  command->add_option("--repetitions", arguments->repetitions,
                      "Counted repetitions of each run [by application, 3 to 12]");
  command->add_option("--out", arguments->out, "Folder to write into (default: APP-study)");
  command->add_option("--machine", arguments->machine,
                      "A machine file; without it the machine is calibrated");
  command->add_option("--launcher", arguments->launcher,
                      "How ranks are started, e.g. \"mpiexec -n {ranks}\"");
  command->add_flag("--quick", arguments->quick, "Small sizes");
  arguments->fit.add_to(*command);
  command->add_option("options", arguments->app_options, "After --: options of the application");
  command->callback([arguments, command_line] { StudyRun(*arguments, command_line).run(); });
}

}  // namespace cleave::models
