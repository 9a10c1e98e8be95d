// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/report/answer.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

namespace {

constexpr std::string_view kStealing = name_of(DC_Type::work_stealing);

bool has_option(std::string_view name, const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& option) { return is_option(option, name); });
}

/// A size is a value of the program's option, or begins with '-' and is options itself.
std::vector<std::string> options_of_size(const Study& study, const std::string& size) {
  if (!size.starts_with('-')) {
    return {study.size_option, size};
  }
  std::vector<std::string> words;
  std::istringstream text(size);
  for (std::string word; text >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

ProgramDescription describe(const StudyArguments& arguments) {
  const std::filesystem::path file = find_program(arguments.program);
  std::vector<std::string> options = arguments.options;
  if (!arguments.type.empty()) {
    options.insert(options.end(), {"--type", arguments.type});
  }
  ProgramDescription program = describe_program(file, options);
  std::erase(program.types, "sequential");
  const std::string type = arguments.type.empty() ? program.type : arguments.type;
  if (std::find(program.types.begin(), program.types.end(), type) == program.types.end()) {
    throw UsageError(fmt::format("--type: '{}' cannot be studied of {}, only {}", type,
                                 file.string(), fmt::join(program.types, ", ")));
  }
  program.type = type;
  return program;
}

/// Threads beyond the cores are left out: what such runs measure is who runs when.
std::vector<RanksAndThreads> workers_of(const StudyArguments& arguments, const std::string& type) {
  std::vector<RanksAndThreads> all;
  if (type != kStealing && arguments.threads.size() != 1) {
    throw UsageError(fmt::format(
        "--threads: a model of {} is of one number of threads, not of {}: study each by "
        "itself, with another --out",
        type, fmt::join(arguments.threads, ",")));
  }
  for (const int ranks : arguments.ranks) {
    for (const int of_rank : arguments.threads) {
      if (of_rank == 1 || ranks * of_rank <= detail::usable_cores() ||
          arguments.allow_oversubscribed) {
        all.push_back({ranks, of_rank});
      }
    }
  }
  if (all.empty()) {
    throw UsageError(fmt::format("--threads: all of {} outnumber the {} cores",
                                 fmt::join(arguments.threads, ","), detail::usable_cores()));
  }
  if (type != kStealing && arguments.threads.front() > 1 && all.back().ranks == 1) {
    throw UsageError(fmt::format(
        "--threads: one rank alone shows no division: run 2 ranks of {} threads, too, by --ranks "
        "1,2, and --allow-oversubscribed where these outnumber the cores",
        arguments.threads.front()));
  }
  return all;
}

/// The first, one in the middle and the last. Of eleven that fall to 3/4 the sixth is a quarter of
/// the last and four times the first: what goes in steps as a problem is halved would look smooth.
std::vector<std::string> three_of(const std::vector<std::string>& sizes) {
  constexpr std::size_t kThree = 3;
  return sizes.size() <= kThree
             ? sizes
             : std::vector{sizes.front(), sizes[(sizes.size() + 1) / 2], sizes.back()};
}

/// What is rehearsed is judged by a few runs.
Study study_of(const StudyArguments& arguments, const ProgramDescription& program) {
  Study study = arguments.quick ? program.quick_study : program.study;
  if (!arguments.sizes.empty()) {
    study.sizes = arguments.sizes;
  } else if (!arguments.at.empty()) {
    study.sizes = three_of(study.sizes);
  }
  // Two that agree are enough.
  constexpr int kFewestRounds = 2;
  study.rounds = arguments.rounds.value_or(std::min(study.rounds, kFewestRounds));
  study.repetitions = arguments.repetitions.value_or(study.repetitions);
  if (study.rounds < 1 || study.repetitions < 1) {
    throw UsageError("--rounds and --repetitions must be at least 1");
  }
  if (study.sizes.empty()) {
    throw UsageError(
        fmt::format("{} names no sizes to study: give --sizes, for example --sizes "
                    "\"-n 8\" \"-n 9\" \"-n 10\"",
                    program.file.string()));
  }
  std::set<std::string> known;
  for (const std::string& size : study.sizes) {
    if (!known.insert(size).second) {
      throw UsageError(fmt::format("--sizes: {} comes twice", size));
    }
  }
  return study;
}

/// How long messages are is fitted as a function of the sizes, which one size does not show.
void check_fits(const std::vector<std::string>& sizes) {
  constexpr std::size_t kNeeded = 2;
  std::set<NamedSizes> different;
  for (const std::string& size : sizes) {
    try {
      different.insert(parse_sizes(size));
    } catch (const UsageError&) {  // no named counts, which only the program understands
      different.insert({{size, 1}});
    }
  }
  if (different.size() < kNeeded) {
    throw UsageError(fmt::format(
        "a fit needs at least {} different sizes, not {}: give more, for example --sizes N=1M N=2M "
        "N=4M",
        kNeeded, different.size()));
  }
}

/// Every size on every number of workers.
void add_runs(StudyPlan& plan, const std::vector<RanksAndThreads>& workers) {
  const std::vector<std::string> labels = labels_of(plan.study.sizes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const RanksAndThreads& of_case : workers) {
      plan.cases.push_back({.size = plan.study.sizes[i], .label = labels[i], .workers = of_case});
    }
  }
}

/// A search is rehearsed by one process, which is all ranks. Else there are as many processes as
/// ranks of the runs' threads compute at once on this host.
Case rehearsal_of(const StudyPlan& plan, std::string size, std::string label, int ranks) {
  RanksAndThreads workers;
  if (plan.program.type != kStealing) {
    workers.threads = plan.cases.front().workers.threads;
    workers.ranks = std::clamp(detail::usable_cores() / workers.threads, 1, ranks);
  }
  return {
      .size = std::move(size), .label = std::move(label), .workers = workers, .rehearsed = ranks};
}

/// The program's default, where nobody chose the sizes of the study; else the last of these.
std::string size_to_answer(const StudyPlan& plan, const StudyArguments& arguments) {
  const bool is_chosen = arguments.quick || !arguments.sizes.empty();
  const std::string& size = plan.program.default_size;
  return is_chosen || size.empty() || plan.study.size_option != "--size" ? plan.study.sizes.back()
                                                                         : size;
}

/// What is asked, and every run, so that rehearsals are judged by runs: of searches those of one
/// thread a rank.
void add_rehearsals(StudyPlan& plan, const StudyArguments& arguments) {
  for (std::size_t i = 0, runs = plan.cases.size(); i < runs; ++i) {
    const Case run = plan.cases[i];
    if (plan.program.type != kStealing || run.workers.threads == 1) {
      plan.cases.push_back(rehearsal_of(plan, run.size, run.label, run.workers.ranks));
    }
  }
  const std::vector<std::string> sizes = arguments.at_sizes.empty()
                                             ? std::vector{size_to_answer(plan, arguments)}
                                             : arguments.at_sizes;
  const std::vector<std::string> labels = labels_of(sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const int ranks : arguments.at) {
      const auto same = std::ranges::find_if(
          plan.cases, [&](const Case& c) { return c.rehearsed == ranks && c.size == sizes[i]; });
      Case& asked = same != plan.cases.end()
                        ? *same
                        : plan.cases.emplace_back(rehearsal_of(plan, sizes[i], labels[i], ranks));
      asked.is_asked = true;
    }
  }
}

/// Has the program look at every size that a person gave, and at one of its own.
void check_sizes(const StudyPlan& plan, bool are_given) {
  const auto [ranks, threads] = plan.cases.front().workers;
  for (const Case& c : plan.cases) {
    const bool is_first = &c == &plan.cases.front();
    const bool is_of_first_workers = c.workers.ranks == ranks && c.workers.threads == threads;
    if (is_first || c.is_asked || (are_given && is_of_first_workers)) {
      check_options_of_run(plan.program.file, plan.options_of(c, 1));
    }
  }
}

}  // namespace

bool is_option(std::string_view word, std::string_view name) {
  return word == name || (word.starts_with(name) && word.substr(name.size()).starts_with('='));
}

std::vector<std::filesystem::path> files_with(const std::filesystem::path& folder,
                                              std::string_view ending) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(ending) && !entry.is_directory(error)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string file_name_of(const std::string& text) {
  constexpr std::size_t kMaxLetters = 60;
  std::string name;
  for (const char c : text) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || (c == '.' && !name.empty());
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.substr(0, kMaxLetters);
}

std::vector<std::string> labels_of(const std::vector<std::string>& sizes) {
  std::vector<std::string> labels;
  std::set<std::string> known;
  for (const std::string& size : sizes) {
    const std::string name = file_name_of(size);
    std::string label = name;
    for (int again = 2; label.empty() || !known.insert(label).second; ++again) {
      label = fmt::format("{}_{}", name, again);
    }
    labels.push_back(label);
  }
  return labels;
}

int StudyPlan::max_ranks() const {
  int maximum = 0;
  for (const Case& c : cases) {
    maximum = std::max(maximum, c.workers.ranks);
  }
  return maximum;
}

double StudyPlan::weight_of(const Case& c) const {
  constexpr double kGrowth = 1.5;
  double weight = 0;
  try {
    for (const auto& [name, count] : parse_sizes(c.size)) {
      weight += static_cast<double>(count);
    }
  } catch (const UsageError&) {  // only the program understands it
    const auto at = std::ranges::find(study.sizes, c.size) - study.sizes.begin();
    weight = std::pow(kGrowth, at);
  }
  // A rehearsal solves the whole problem first.
  return std::max(weight, 1.0) / (c.rehearsed > 0 ? 1 : c.workers.ranks * c.workers.threads);
}

std::filesystem::path StudyPlan::assumed_network() const {
  return folder / kRehearsalsOfStudy / fmt::format("{}.json", kAssumedForAnswers);
}

void StudyPlan::assume_network_of(const std::filesystem::path& machine_file) const {
  detail::Machine machine = detail::read_machine(machine_file);
  const Network network = network_of(machine);
  if (program.type != kStealing || network.knows_between_hosts()) {
    std::error_code error;
    std::filesystem::remove(assumed_network(), error);
    return;
  }
  machine.exchange = with_machine(network, preset_machine(kAssumedForAnswers)).exchange;
  write_machine(assumed_network(), machine);
}

void StudyPlan::keep_messages(const std::vector<std::string>& files) const {
  std::vector<std::string> texts;  // some may lie there
  std::ranges::transform(files, std::back_inserter(texts),
                         [](const auto& f) { return read_file(f); });
  const std::filesystem::path place = folder / kMessagesOfStudy;
  std::error_code error;
  for (const std::filesystem::path& earlier : files_with(place, kTraceEnding)) {
    std::filesystem::remove(earlier, error);
  }
  std::filesystem::remove(place, error);  // unless it holds something else
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::filesystem::create_directory(place, error);
    write_file(place / fmt::format("{}{}", i + 1, kTraceEnding), texts[i]);
  }
}

std::vector<std::string> StudyPlan::options_of(const Case& c, int round) const {
  std::vector<std::string> all = options_of_size(study, c.size);
  all.insert(all.end(), {"--type", program.type, "--repetitions", std::to_string(study.repetitions),
                         "--warm-up", std::to_string(study.warm_up)});
  if (c.rehearsed > 0) {
    all.insert(all.end(), {"--rehearse", std::to_string(c.rehearsed)});
  }
  if (c.rehearsed > 1 && program.type == kStealing) {
    const int ranks_per_host = std::min(c.rehearsed, detail::usable_cores());
    const bool is_assumed =
        c.rehearsed > ranks_per_host && std::filesystem::exists(assumed_network());
    all.insert(all.end(),
               {"--network", (is_assumed ? assumed_network() : folder / kMachineOfStudy).string(),
                "--ranks-per-host", std::to_string(ranks_per_host)});
  }
  if (program.type == kStealing || c.workers.threads > 1) {
    all.insert(all.end(), {"--threads", std::to_string(c.workers.threads)});
  }
  // Another input each round, so that the luck of one does not pass for a law. Another input of a
  // search is another size.
  if (!has_option("--seed", options)) {
    all.insert(all.end(), {"--seed", program.type == kStealing ? "1" : std::to_string(round)});
  }
  if (!has_option("--inputs", options)) {
    all.insert(all.end(), {"--inputs", std::string(name_of(study.inputs))});
  }
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

std::filesystem::path StudyPlan::trace_of(const Case& c, int round) const {
  const auto [ranks, threads] = c.workers;
  const std::string of_ranks =
      c.rehearsed > 0 ? fmt::format("r{}", c.rehearsed) : fmt::format("p{}", ranks);
  const std::string of_threads = threads == 1 ? "" : fmt::format("t{}", threads);
  return folder / (c.rehearsed > 0 ? kRehearsalsOfStudy : kTracesOfStudy) /
         fmt::format("{}-{}-{}{}-{}.trace.jsonl", file_name, c.label, of_ranks, of_threads, round);
}

std::vector<std::filesystem::path> StudyPlan::traces() const {
  std::vector<std::filesystem::path> files = files_with(folder / kTracesOfStudy, kTraceEnding);
  std::ranges::copy(files_with(folder / kRehearsalsOfStudy, kTraceEnding),
                    std::back_inserter(files));
  return files;
}

StudyPlan plan_study(const StudyArguments& arguments) {
  StudyPlan plan{.program = describe(arguments), .options = arguments.options};
  plan.study = study_of(arguments, plan.program);
  plan.fit = arguments.fit;
  for (const std::string& file : arguments.messages) {
    measured_messages({.app = plan.program.name, .placement = plan.program.placement},
                      detail::read_trace(file));
  }
  plan.adds_rounds = !arguments.rounds;
  plan.file_name = file_name_of(plan.program.name);
  if (plan.file_name.empty()) {
    plan.file_name = "program";
  }
  plan.folder = arguments.out.empty() ? plan.file_name + "-study" : arguments.out;
  add_runs(plan, workers_of(arguments, plan.program.type));
  if (!arguments.at.empty()) {
    check_fits(plan.study.sizes);
    add_rehearsals(plan, arguments);
  }
  check_sizes(plan, !arguments.sizes.empty());
  return plan;
}

}  // namespace cleave::models
