// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include <cleave/error.hpp>

#include "apps/reading/reading.hpp"

namespace cleave::flowshop {

namespace {

/// Sizes of a file that keep every sum of times within an int.
constexpr int kMaxJobs = 10'000;
constexpr int kMaxMachines = 1'000;
constexpr int kMaxTime = 32'767;
constexpr int kMaxMakespan = std::numeric_limits<int>::max();

/// The lines that have numbers: all others are empty, captions, or comments that begin with '#'.
class NumberLines {
 public:
  NumberLines(std::string_view text, const std::filesystem::path& file)
      : lines_(text, file), file_(file) {}

  /// The next of them, which is still to be taken; nothing at the end.
  std::optional<std::string_view> peek() {
    while (!line_) {
      std::string_view line;
      if (!lines_.take_line(line)) {
        return std::nullopt;
      }
      std::string_view rest = line;
      const std::string_view first = reading::take_field(rest);
      if (!first.empty() && first.front() != '#' &&
          std::isalpha(static_cast<unsigned char>(first.front())) == 0) {
        line_ = line;
      }
    }
    return line_;
  }

  /// \param what  it is, for messages
  std::string_view take(const std::string& what) {
    const auto line = peek();
    if (!line) {
      throw FileError(file_, fmt::format("ends before {}", what));
    }
    line_.reset();
    return *line;
  }

  int fields() { return peek() ? reading::count_fields(*line_) : 0; }

  int take_number(std::string_view& line, const std::string& what, int minimum, int maximum) const {
    return lines_.take_number(line, what, minimum, maximum);
  }

  [[noreturn]] void refuse(const std::string& what) const { lines_.refuse(what); }

 private:
  reading::Lines lines_;
  const std::filesystem::path& file_;
  std::optional<std::string_view> line_;
};

constexpr int kShortHead = 2;
constexpr int kLongHead = 5;

Instance take_head(NumberLines& lines) {
  const int fields = lines.fields();
  std::string_view line = lines.take("its head");
  if (fields != kShortHead && fields != kLongHead) {
    lines.refuse(
        fmt::format("{} numbers: a head has 2, jobs and machines, or 5, with seed, upper and lower "
                    "bound",
                    fields));
  }
  Instance instance;
  instance.jobs = lines.take_number(line, "number of jobs", 1, kMaxJobs);
  instance.machines = lines.take_number(line, "number of machines", 1, kMaxMachines);
  if (fields == kLongHead) {
    lines.take_number(line, "seed", 0, std::numeric_limits<int>::max());
    const int upper_bound = lines.take_number(line, "upper bound", 0, kMaxMakespan);
    lines.take_number(line, "lower bound", 0, upper_bound == 0 ? kMaxMakespan : upper_bound);
    if (upper_bound != 0) {
      instance.best_known = upper_bound;
    }
  }
  return instance;
}

/// Of two jobs.
bool is_permutation_from_0(std::string_view line) {
  return reading::take_field(line) == "0" && reading::take_field(line) == "1";
}

/// Whether a line is that of a job: 0, a time, 1, a time, and so on for each machine.
bool names_machines(std::string_view line, int machines) {
  for (int machine = 0; machine < machines; ++machine) {
    if (reading::take_field(line) != fmt::format("{}", machine)) {
      return false;
    }
    reading::take_field(line);
  }
  return reading::is_blank(line);
}

/// Whether the times are a line for each job. Where such a line has as many numbers as one of a
/// machine, all of them must be pairs.
bool are_of_jobs(NumberLines lines, const Instance& instance) {
  const bool is_like_a_machine = instance.jobs == 2 * instance.machines;
  for (int job = 0; job < (is_like_a_machine ? instance.jobs : 1); ++job) {
    const auto line = lines.peek();
    if (!line || !names_machines(*line, instance.machines)) {
      return false;
    }
    lines.take("a pair");
    if (job == 1 && instance.machines == 1 && is_permutation_from_0(*line)) {
      lines.refuse(
          "'0 1' is a permutation or a pair: write a permutation as 1 2, or both times on one "
          "line");
    }
  }
  return true;
}

void take_times_of_machines(NumberLines& lines, Instance& instance) {
  for (int machine = 0; machine < instance.machines; ++machine) {
    const std::string of_machine =
        fmt::format("the times of machine {} of {}", machine + 1, instance.machines);
    const int fields = lines.fields();
    std::string_view line = lines.take(of_machine);
    if (fields != instance.jobs) {
      const bool is_turned = fields == instance.machines;
      lines.refuse(fmt::format("{} numbers, but {} are {} numbers by the head{}", fields,
                               of_machine, instance.jobs,
                               is_turned ? ": lines are machines here, not jobs" : ""));
    }
    for (int job = 0; job < instance.jobs; ++job) {
      instance.times.push_back(lines.take_number(line, "time", 0, kMaxTime));
    }
  }
}

void take_times_of_jobs(NumberLines& lines, Instance& instance) {
  instance.times.resize(static_cast<std::size_t>(instance.jobs) *
                        static_cast<std::size_t>(instance.machines));
  for (int job = 0; job < instance.jobs; ++job) {
    const std::string of_job = fmt::format("the times of job {} of {}", job + 1, instance.jobs);
    std::string_view line = lines.take(of_job);
    if (!names_machines(line, instance.machines)) {
      lines.refuse(fmt::format("{} must be {} pairs of a machine, from 0, and its time", of_job,
                               instance.machines));
    }
    for (int machine = 0; machine < instance.machines; ++machine) {
      reading::take_field(line);
      instance.times[static_cast<std::size_t>(machine) * static_cast<std::size_t>(instance.jobs) +
                     static_cast<std::size_t>(job)] = lines.take_number(line, "time", 0, kMaxTime);
    }
  }
}

/// The jobs of a line, from 0, if it is a permutation of all.
std::optional<Permutation> as_permutation(std::string_view line, const Instance& instance) {
  Permutation permutation;
  for (auto field = reading::take_field(line); !field.empty(); field = reading::take_field(line)) {
    int job = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), job);
    if (error != std::errc{} || end != field.data() + field.size()) {
      return std::nullopt;
    }
    permutation.push_back(job);
  }
  if (std::ranges::count(permutation, 0) == 0) {
    std::ranges::for_each(permutation, [](int& job) { --job; });
  }
  return is_complete(instance, permutation) ? std::optional(permutation) : std::nullopt;
}

/// What may follow the times: a makespan, a permutation, or both.
void take_solution(NumberLines& lines, Instance& instance) {
  std::optional<int> told;
  if (lines.fields() == 1 && instance.jobs > 1) {
    std::string_view line = lines.take("the makespan");
    told = lines.take_number(line, "makespan", 1, kMaxMakespan);
  }
  std::optional<int> found;
  if (const auto line = lines.peek(); line && lines.fields() == instance.jobs) {
    if (const auto permutation = as_permutation(*line, instance)) {
      found = makespan(instance, *permutation);
      lines.take("the permutation");
    }
  }
  if (told && found && *told != *found) {
    lines.refuse(
        fmt::format("the makespan of this permutation is {}, not {} as the line before "
                    "says: are the times in another order?",
                    *found, *told));
  }
  for (const std::optional<int>& known : {told, found}) {
    if (known) {
      instance.best_known = std::min(instance.best_known.value_or(*known), *known);
    }
  }
}

/// No permutation takes less time than the busiest machine.
void require_possible(const NumberLines& lines, const Instance& instance) {
  for (int machine = 0; machine < instance.machines; ++machine) {
    const auto times =
        std::span(instance.times)
            .subspan(static_cast<std::size_t>(machine) * static_cast<std::size_t>(instance.jobs),
                     static_cast<std::size_t>(instance.jobs));
    const int busy = std::accumulate(times.begin(), times.end(), 0);
    if (instance.best_known && busy > *instance.best_known) {
      lines.refuse(
          fmt::format("a makespan of {} is told, but machine {} alone works for {}: are "
                      "the times in another order?",
                      *instance.best_known, machine + 1, busy));
    }
  }
}

Instance take_instance(NumberLines& lines) {
  Instance instance = take_head(lines);
  if (are_of_jobs(lines, instance)) {
    take_times_of_jobs(lines, instance);
  } else {
    take_times_of_machines(lines, instance);
  }
  take_solution(lines, instance);
  require_possible(lines, instance);
  return instance;
}

}  // namespace

std::vector<Instance> parse_instances(std::string_view text, const std::filesystem::path& file) {
  NumberLines lines(text, file);
  std::vector<Instance> instances;
  while (lines.peek()) {
    instances.push_back(take_instance(lines));
  }
  if (instances.empty()) {
    throw FileError(file, "holds no instance");
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::string stem = file.stem().string();
    instances[i].name = instances.size() == 1 ? stem : fmt::format("{}-{}", stem, i + 1);
  }
  return instances;
}

}  // namespace cleave::flowshop
