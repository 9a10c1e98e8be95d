// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <cleave/error.hpp>

#include "apps/flowshop/taillard.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::flowshop {

int makespan(const Instance& instance, std::span<const int> permutation) {
  std::vector<int> free_at(static_cast<std::size_t>(instance.machines));
  for (const int job : permutation) {
    int end = 0;
    for (int machine = 0; machine < instance.machines; ++machine) {
      int& free = free_at[static_cast<std::size_t>(machine)];
      end = std::max(end, free) + instance.time(machine, job);
      free = end;
    }
  }
  return free_at.empty() ? 0 : free_at.back();
}

bool is_complete(const Instance& instance, std::span<const int> permutation) {
  std::vector<bool> seen(static_cast<std::size_t>(instance.jobs));
  for (const int job : permutation) {
    if (job < 0 || job >= instance.jobs || seen[static_cast<std::size_t>(job)]) {
      return false;
    }
    seen[static_cast<std::size_t>(job)] = true;
  }
  return permutation.size() == seen.size();
}

namespace {

constexpr std::string_view kForm =
    "; a file is a line of jobs n and machines m and m lines of n times, or a block of Taillard's";

/// The next line. \throws FileError  at the end of the file
std::string_view next_line(reading::Lines& lines, const std::filesystem::path& file) {
  std::string_view line;
  if (!lines.take_line(line)) {
    throw FileError(file, fmt::format("ends too early{}", kForm));
  }
  return line;
}

void refuse_rest(const reading::Lines& lines, std::string_view line) {
  if (!reading::is_blank(line)) {
    lines.refuse(fmt::format("'{}' is too much{}", reading::shortened(line), kForm));
  }
}

void take_caption(reading::Lines& lines, const std::filesystem::path& file,
                  std::string_view caption) {
  if (!next_line(lines, file).starts_with(caption)) {
    lines.refuse(fmt::format("expected '{}'{}", caption, kForm));
  }
}

}  // namespace

Instance parse_instance(std::string_view text, const std::filesystem::path& file) {
  // Sizes that keep every sum of times within an int.
  constexpr int kMaxJobs = 10'000;
  constexpr int kMaxMachines = 1'000;
  constexpr int kMaxTime = 32'767;
  constexpr int kMaxMakespan = std::numeric_limits<int>::max();
  constexpr std::string_view kCaption = "number of jobs, number of machines, initial seed";
  reading::Lines lines(text, file);
  const auto number = [&lines](std::string_view& line, std::string_view what, int minimum,
                               int maximum) {
    return lines.take_number(line, what, minimum, maximum, kForm);
  };
  const bool is_taillards = text.starts_with(kCaption);
  if (is_taillards) {
    take_caption(lines, file, kCaption);
  }
  Instance instance{.name = file.stem().string()};
  std::string_view head = next_line(lines, file);
  instance.jobs = number(head, "number of jobs", 1, kMaxJobs);
  instance.machines = number(head, "number of machines", 1, kMaxMachines);
  if (is_taillards) {
    number(head, "seed", 0, kMaxMakespan);
    const int upper_bound = number(head, "upper bound", 0, kMaxMakespan);
    number(head, "lower bound", 0, upper_bound == 0 ? kMaxMakespan : upper_bound);
    instance.best_known = upper_bound == 0 ? std::nullopt : std::optional(upper_bound);
    refuse_rest(lines, head);
    take_caption(lines, file, "processing times");
  }
  refuse_rest(lines, head);
  for (int machine = 0; machine < instance.machines; ++machine) {
    std::string_view line = next_line(lines, file);
    for (int job = 0; job < instance.jobs; ++job) {
      instance.times.push_back(number(line, "time", 0, kMaxTime));
    }
    refuse_rest(lines, line);
    const auto first = instance.times.end() - instance.jobs;
    const int busy = std::accumulate(first, instance.times.end(), 0);
    if (instance.best_known && busy > *instance.best_known) {
      lines.refuse(fmt::format("the upper bound is {}, but machine {} alone works for {}",
                               *instance.best_known, machine + 1, busy));
    }
  }
  for (std::string_view line; lines.take_line(line);) {
    refuse_rest(lines, line);
  }
  return instance;
}

Instance instance_named(const std::string& name) {
  std::error_code none;
  if (std::filesystem::is_regular_file(name, none)) {
    return parse_instance(reading::Contents(name).text(), name);
  }
  try {
    return taillard_instance(name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, nor a file", error.what()));
  }
}

}  // namespace cleave::flowshop
