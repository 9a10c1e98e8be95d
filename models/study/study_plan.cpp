// SPDX-License-Identifier: Apache-2.0
#include "models/study/study_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host.hpp>
#include <cleave/sizes.hpp>

#include "models/report/answer.hpp"
#include "models/study/study_folder.hpp"

namespace cleave::models {

namespace {

bool is_search(const StudyPlan& plan) {
  return plan.program.type == name_of(DC_Type::work_stealing);
}

ProgramDescription describe(StudyArguments arguments) {
  if (!arguments.sizes.empty() && arguments.sizes[0].starts_with('-')) {  // one may be required
    std::istringstream words(arguments.sizes[0]);
    std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(arguments.options));
  }
  ProgramDescription program = describe_program(find_program(arguments.program), arguments.options);
  std::erase(program.types, "sequential");
  if (std::ranges::find(program.types, program.type) == program.types.end()) {
    throw UsageError(fmt::format("--type: '{}' cannot be studied of {}, only {}", program.type,
                                 program.file.string(), fmt::join(program.types, ", ")));
  }
  return program;
}

/// Threads beyond the cores are left out: such runs measure who runs when. More ranks are refused,
/// unless a launcher may start them elsewhere; a pair shows the messages on one core, too.
std::vector<RanksAndThreads> workers_of(const StudyPlan& plan) {
  const StudyArguments& arguments = plan.arguments;
  const std::vector<int>& threads = arguments.threads;
  std::vector<RanksAndThreads> all;
  const int cores = detail::usable_cores();
  const bool is_limited = !arguments.allow_oversubscribed && arguments.launcher.empty();
  for (const int ranks : arguments.ranks) {
    if (is_limited && ranks > std::max(cores, 2)) {
      throw UsageError(
          fmt::format("--ranks: {0} ranks outnumber the {1} cores here: --at {0} rehearses them, "
                      "--allow-oversubscribed runs them",
                      ranks, cores));
    }
    for (const int of_rank : threads) {
      if (of_rank == 1 || ranks * of_rank <= cores || arguments.allow_oversubscribed) {
        all.push_back({ranks, of_rank});
      }
    }
  }
  std::string refusal;
  if (!is_search(plan) && threads.size() != 1) {
    refusal = fmt::format(
        "a model of {} is of one number of threads, not of {}: study each by itself, with another "
        "--out",
        plan.program.type, fmt::join(threads, ","));
  } else if (all.empty()) {
    refusal = fmt::format("all of {} outnumber the {} cores", fmt::join(threads, ","), cores);
  } else if (!is_search(plan) && threads.front() > 1 && all.back().ranks == 1) {
    refusal = fmt::format(
        "one rank alone shows no division: run 2 ranks of {} threads, too, by --ranks 1,2, and "
        "--allow-oversubscribed where these outnumber the cores",
        threads.front());
  }
  if (!refusal.empty()) {
    throw UsageError("--threads: " + refusal);
  }
  return all;
}

/// The first, one in the middle and the last. Of eleven that fall to 3/4 the sixth is a quarter of
/// the last and four times the first: a cost in steps, as a problem is halved, would look smooth.
std::vector<std::string> three_of(const std::vector<std::string>& sizes) {
  return sizes.size() <= 3
             ? sizes
             : std::vector{sizes.front(), sizes[(sizes.size() + 1) / 2], sizes.back()};
}

/// "N=32M" of "N=32768K"; options as they are.
std::string shortest(const std::string& size) {
  const std::optional<NamedSizes> counts = counts_of(size);
  return counts ? format_sizes(*counts, ",") : size;
}

/// A few runs judge rehearsals. Each round is processes of its own, which scatter more.
Study study_of(const StudyArguments& arguments, const ProgramDescription& program) {
  constexpr int kFewestRounds = 3;
  Study study = arguments.quick ? program.quick_study : program.study;
  if (!arguments.sizes.empty()) {
    study.sizes = arguments.sizes;
  } else if (!arguments.at.empty()) {
    study.sizes = three_of(study.sizes);
  }
  study.rounds = arguments.rounds.value_or(std::max(study.rounds, kFewestRounds));
  if (study.sizes.empty()) {
    throw UsageError(
        fmt::format("{} names no sizes to study: give --sizes, for example --sizes "
                    "N=1M N=2M N=4M, or --sizes=\"-n 8\" --sizes=\"-n 9\"",
                    program.file.string()));
  }
  std::set<std::string> known;
  for (std::string& size : study.sizes) {
    size = shortest(size);
    if (!known.insert(size).second) {
      throw UsageError(fmt::format("--sizes: {} comes twice", size));
    }
  }
  return study;
}

/// A file name for each of `sizes`, no two the same.
std::vector<std::string> labels_of(const std::vector<std::string>& sizes) {
  std::vector<std::string> labels;
  for (const std::string& size : sizes) {
    const std::string name = file_name_of(size);
    const bool is_known = name.empty() || std::ranges::find(labels, name) != labels.end();
    labels.push_back(is_known ? fmt::format("{}_{}", name, labels.size() + 1) : name);
  }
  return labels;
}

/// A search is rehearsed by one process, which is all ranks. Else there are as many processes as
/// ranks of the runs' threads compute at once on this host.
Case rehearsal_of(const StudyPlan& plan, const std::string& size, const std::string& label,
                  int ranks) {
  RanksAndThreads workers;
  if (!is_search(plan)) {
    workers.threads = plan.cases.front().workers.threads;
    workers.ranks = std::clamp(detail::usable_cores() / workers.threads, 1, ranks);
  }
  return {.size = size, .label = label, .workers = workers, .rehearsed = ranks};
}

/// The sizes to answer for: the program's default, or the last of sizes that somebody chose.
std::vector<std::string> sizes_to_answer(const StudyPlan& plan) {
  if (!plan.arguments.at_sizes.empty()) {
    std::vector<std::string> questions = questions_of(plan.arguments.at_sizes);
    std::ranges::transform(questions, questions.begin(), shortest);
    return questions;
  }
  const std::string& size = plan.program.default_size;
  const bool is_default = !plan.arguments.quick && plan.arguments.sizes.empty() && !size.empty() &&
                          plan.study.size_option == "--size";
  return {is_default ? size : plan.study.sizes.back()};
}

/// The question, and every run, which judge rehearsals: of searches those of one thread a rank.
void add_rehearsals(StudyPlan& plan) {
  for (std::size_t i = 0, runs = plan.cases.size(); i < runs; ++i) {
    const Case run = plan.cases[i];
    if (!is_search(plan) || run.workers.threads == 1) {
      plan.cases.push_back(rehearsal_of(plan, run.size, run.label, run.workers.ranks));
    }
  }
  const std::vector<std::string> sizes = sizes_to_answer(plan);
  const std::vector<std::string> labels = labels_of(sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const int ranks : plan.arguments.at) {
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
void check_sizes(const StudyPlan& plan) {
  const RanksAndThreads& first = plan.cases.front().workers;
  for (const Case& c : plan.cases) {
    const bool is_given = !plan.arguments.sizes.empty() && c.workers == first;
    if (&c == &plan.cases.front() || c.is_asked || is_given) {
      check_options_of_run(plan.program.file, plan.options_of(c, 1));
    }
  }
}

}  // namespace

std::string file_name_of(const std::string& text) {
  constexpr std::size_t kMaxLetters = 60;
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c == '.' && !name.empty())) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.substr(0, kMaxLetters);
}

std::optional<NamedSizes> counts_of(const std::string& size) {
  try {
    return parse_sizes(size);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::vector<std::string> questions_of(const std::vector<std::string>& texts) {
  std::vector<std::string> questions;
  for (const std::string& text : texts) {
    if (!questions.empty() && counts_of(questions.back() + ',' + text)) {
      questions.back() += ',' + text;
    } else {
      questions.push_back(text);
    }
  }
  return questions;
}

void StudyPlan::add_size(const std::string& size) {
  study.sizes.push_back(size);
  const std::string label = labels_of(study.sizes).back();
  for (const RanksAndThreads& of_case : workers) {
    cases.push_back({.size = size, .label = label, .workers = of_case});
  }
}

std::filesystem::path StudyPlan::assumed_network() const {
  return folder / fmt::format("{}.json", kAssumedNetwork);
}

std::vector<std::string> StudyPlan::options_of(const Case& c, int round) const {
  std::vector<std::string> all = {study.size_option, c.size};
  if (c.size.starts_with('-')) {  // the size is options itself
    std::istringstream words(c.size);
    all.assign(std::istream_iterator<std::string>(words), {});
  }
  const auto add = [&](const std::string& name, const std::string& value) {
    const auto is_same = [&](const std::string& word) {
      return word == name || word.starts_with(name + '=');
    };
    if (std::ranges::none_of(arguments.options, is_same)) {
      all.insert(all.end(), {name, value});
    }
  };
  add("--repetitions", std::to_string(c.is_long ? 1 : study.repetitions));
  add("--warm-up", std::to_string(c.is_long ? 1 : study.warm_up));
  if (c.rehearsed > 0) {
    add("--rehearse", std::to_string(c.rehearsed));
  }
  if (c.rehearsed > 1 && is_search(*this)) {
    const int ranks_per_host = std::min(c.rehearsed, detail::usable_cores());
    const bool is_assumed =
        c.rehearsed > ranks_per_host && std::filesystem::exists(assumed_network());
    add("--network", (is_assumed ? assumed_network() : folder / kMachineOfStudy).string());
    add("--ranks-per-host", std::to_string(ranks_per_host));
  }
  if (is_search(*this) || c.workers.threads > 1) {
    add("--threads", std::to_string(c.workers.threads));
  }
  // Another input each round, so that no luck passes for a law; of a search it is another size.
  add("--seed", is_search(*this) ? "1" : std::to_string(round));
  add("--inputs", std::string(name_of(study.inputs)));
  all.insert(all.end(), arguments.options.begin(), arguments.options.end());
  return all;
}

std::filesystem::path StudyPlan::trace_of(const Case& c, int round) const {
  const auto [ranks, threads] = c.workers;
  const bool is_run = c.rehearsed == 0;
  return folder / (is_run ? kTracesOfStudy : kRehearsalsOfStudy) /
         fmt::format("{}-{}-{}{}{}-{}{}", file_name, c.label, is_run ? 'p' : 'r',
                     is_run ? ranks : c.rehearsed, threads == 1 ? "" : fmt::format("t{}", threads),
                     round, kTraceEnding);
}

StudyPlan plan_study(const StudyArguments& arguments) {
  StudyPlan plan{.arguments = arguments, .program = describe(arguments)};
  plan.study = study_of(arguments, plan.program);
  const std::string name = file_name_of(plan.program.name);
  plan.file_name = name.empty() ? "program" : name;
  plan.folder = arguments.out.empty() ? plan.file_name + "-study" : arguments.out;
  plan.workers = workers_of(plan);
  // A program of a second has time for all rounds.
  plan.budget_s = arguments.budget_s.value_or(arguments.rounds ? 1e9 : 60);
  for (const std::string& size : std::exchange(plan.study.sizes, {})) {
    plan.add_size(size);
  }
  if (!arguments.at.empty()) {
    if (plan.study.sizes.size() < 2) {  // the length of messages is a function of them
      throw UsageError(
          "a fit needs at least 2 different sizes, not 1: give more, for example --sizes N=1M N=2M "
          "N=4M");
    }
    add_rehearsals(plan);
  }
  check_sizes(plan);
  return plan;
}

}  // namespace cleave::models
