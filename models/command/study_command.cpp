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
#include "models/report/text.hpp"
#include "skeleton/program/progress.hpp"
#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

struct Arguments {
  std::string app;
  std::string ranks = "1,2";
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

/// One run of the application: one size on one number of ranks in one round.
struct Run {
  std::string size;
  int ranks = 1;
  int round = 1;
};

/// All runs, round by round and in turn forwards and backwards, so that a machine that becomes
/// slower meanwhile does not make one size or one number of ranks slower than the others.
std::vector<Run> runs_of(const std::vector<std::string>& sizes, const std::vector<int>& ranks,
                         int rounds) {
  std::vector<Run> runs;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<Run> of_round;
    for (const std::string& size : sizes) {
      for (const int p : ranks) {
        of_round.push_back({size, p, round});
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
  void run(int ranks, const std::filesystem::path& program,
           const std::vector<std::string>& options) const {
    std::vector<std::string> words = launcher(ranks);
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
  std::vector<std::string> launcher(int ranks) const {
    const std::string bound = std::string(CLEAVE_MPIEXEC) + " -bind-to core -n {ranks}";
    const std::string unbound = std::string(CLEAVE_MPIEXEC) + " -n {ranks}";
    const bool have_cores = ranks <= usable_cores();
    std::istringstream text(!given_.empty() ? given_ : have_cores ? bound : unbound);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
      constexpr std::string_view kRanks = "{ranks}";
      if (const auto at = word.find(kRanks); at != std::string::npos) {
        word.replace(at, kRanks.size(), std::to_string(ranks));
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

class StudyRun {
 public:
  StudyRun(const Arguments& arguments, std::string command_line)
      : arguments_(arguments),
        command_line_(std::move(command_line)),
        launcher_(arguments.launcher),
        program_(existing_program("cleave-" + arguments.app)),
        ranks_(parse_ranks(arguments.ranks)),
        study_(study_of(arguments.app, arguments.quick)),
        fit_options_(arguments.fit.options()),
        folder_(arguments.out.empty() ? arguments.app + "-study" : arguments.out) {
    if (!arguments.sizes.empty()) {
      study_.sizes = arguments.sizes;
    }
    if (study_.sizes.empty()) {
      throw UsageError(fmt::format("no sizes are known for {}: give --sizes", arguments.app));
    }
    if (study_.size_option == "--size") {
      for (const std::string& size : study_.sizes) {
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
  std::size_t runs() const {
    return study_.sizes.size() * ranks_.size() * static_cast<std::size_t>(study_.rounds);
  }

  void measure() {
    const int most_ranks = *std::max_element(ranks_.begin(), ranks_.end());
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
      launcher_.run(most_ranks, existing_program("cleave-calibrate"), {"--out", file.string()});
      machine_file_ = file.string();
    }
    for (const Run& run : runs_of(study_.sizes, ranks_, study_.rounds)) {
      begin_step(fmt::format("{} {} on {} {}, round {} of {}", arguments_.app, run.size, run.ranks,
                             run.ranks == 1 ? "rank" : "ranks", run.round, study_.rounds));
      traces_.push_back(measure(run));
    }
  }

  std::string measure(const Run& run) {
    const std::filesystem::path trace = folder_ / "traces" /
                                        fmt::format("{}-{}-p{}-{}.trace.jsonl", arguments_.app,
                                                    file_name_of(run.size), run.ranks, run.round);
    std::vector<std::string> options = {study_.size_option, run.size,
                                        "--type",           "hypercube",
                                        "--repetitions",    std::to_string(study_.repetitions),
                                        "--warm-up",        std::to_string(study_.warm_up),
                                        "--trace",          trace.string()};
    const auto& own = arguments_.app_options;
    if (std::find(own.begin(), own.end(), "--seed") == own.end()) {
      // Another input each round, so that the luck of one does not pass for a law.
      options.insert(options.end(), {"--seed", std::to_string(run.round)});
    }
    if (!study_.placement.empty() &&
        std::find(own.begin(), own.end(), "--placement") == own.end()) {
      options.insert(options.end(), {"--placement", study_.placement});
    }
    options.insert(options.end(), own.begin(), own.end());
    launcher_.run(run.ranks, program_, options);
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
  std::vector<int> ranks_;
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
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks")->capture_default_str();
  command->add_option("--sizes", arguments->sizes,
                      "Instead of the usual sizes: each as the application takes it");
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
