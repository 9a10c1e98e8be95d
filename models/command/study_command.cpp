// cleave study: calibrate, run an application at many sizes with traces, fit, and report.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/studies.hpp"
#include "models/command/subprocess.hpp"
#include "models/command/write_report.hpp"
#include "models/model_file.hpp"
#include "models/report/cells.hpp"
#include "models/report/text.hpp"
#include "skeleton/program/progress.hpp"
#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

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

/// One run of the application: one size on one number of workers in one round.
struct Run {
  std::string size;
  Workers workers;
  int round = 1;
};

/// All runs, round by round and in turn forwards and backwards, so that a machine that becomes
/// slower meanwhile does not make one size or one number of ranks slower than the others.
std::vector<Run> runs_of(const std::vector<std::string>& sizes, const std::vector<Workers>& workers,
                         int rounds) {
  std::vector<Run> runs;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<Run> of_round;
    for (const std::string& size : sizes) {
      for (const Workers& of_run : workers) {
        of_round.push_back({size, of_run, round});
      }
    }
    if (round % 2 == 0) {
      std::reverse(of_round.begin(), of_round.end());
    }
    runs.insert(runs.end(), of_round.begin(), of_round.end());
  }
  return runs;
}

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
      throw Error(fmt::format("{} on {} {} ended with status {}: {}", program.filename().string(),
                              ranks, ranks == 1 ? "rank" : "ranks", ended.status,
                              last_line(ended.output)));
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
    try {
      measure();
    } catch (const Interrupted&) {
      throw Interrupted(fmt::format("stopped; {} of {} runs are kept in {}", traces_.size(), runs(),
                                    (folder_ / "traces").string()));
    }
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

  std::size_t runs() const {
    return study_.sizes.size() * workers_.size() * static_cast<std::size_t>(study_.rounds);
  }

  void measure() {
    int most_ranks = 1;
    for (const Workers& workers : workers_) {
      most_ranks = std::max(most_ranks, workers.ranks);
    }
    const bool calibrates = arguments_.machine.empty() && most_ranks > 1;
    const std::size_t steps = runs() + (calibrates ? 1 : 0);
    std::size_t begun = 0;
    Progress progress("study", true);
    const auto begin_step = [&](const std::string& what) {
      const double done = static_cast<double>(begun++) / static_cast<double>(steps);
      progress.update(done, fmt::format("[{}/{}] {}", begun, steps, what));
    };
    machine_file_ = arguments_.machine;
    if (calibrates) {
      begin_step(fmt::format("calibrating the machine on {} ranks", most_ranks));
      const std::filesystem::path file = folder_ / "this.machine.json";
      launcher_.run({.ranks = most_ranks}, existing_program("cleave-calibrate"),
                    {"--out", file.string()});
      machine_file_ = file.string();
    }
    for (const Run& run : runs_of(study_.sizes, workers_, study_.rounds)) {
      begin_step(fmt::format("{} {} on {}, round {} of {}", arguments_.app, run.size,
                             format_workers(run.workers.ranks, run.workers.threads), run.round,
                             study_.rounds));
      traces_.push_back(measure(run));
    }
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

  std::string measure(const Run& run) {
    const auto [ranks, threads] = run.workers;
    const std::string workers =
        threads == 1 ? fmt::format("p{}", ranks) : fmt::format("p{}t{}", ranks, threads);
    const std::filesystem::path trace = folder_ / "traces" /
                                        fmt::format("{}-{}-{}-{}.trace.jsonl", arguments_.app,
                                                    file_name_of(run.size), workers, run.round);
    std::vector<std::string> options = options_of(run.size);
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
    add_unless_asked("--seed", std::to_string(run.round));
    add_unless_asked("--placement", study_.placement);
    add_unless_asked("--inputs", study_.inputs);
    options.insert(options.end(), own.begin(), own.end());
    launcher_.run(run.workers, program_, options);
    return trace.string();
  }

  void fit_and_report() const {
    const std::optional<Machine> machine = read_machine_if_given(machine_file_);
    Measurements measurements = collect_measurements(read_traces(traces_));
    if (!arguments_.fit.allow_oversubscribed) {
      measurements = without_oversubscribed(std::move(measurements));
    }
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
  std::vector<std::string> traces_;
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
                      "Times that every size is run [by application, 3 to 5]");
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

}  // namespace cleave
