// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <cleave/error.hpp>

#include "apps/flowshop/heuristic.hpp"
#include "apps/flowshop/instance_file.hpp"
#include "apps/flowshop/taillard.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::flowshop {

namespace {

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::vector<Instance> read_instances(const std::filesystem::path& file) {
  return parse_instances(reading::Contents(file).text(), file);
}

/// Numbers with anything but digits and signs between them.
Permutation read_permutation(const std::filesystem::path& file, const Instance& instance) {
  constexpr std::string_view kDigits = "-0123456789";
  const reading::Contents contents(file);
  const std::string_view text = contents.text();
  Permutation permutation;
  for (std::size_t at = text.find_first_of(kDigits); at != text.npos;
       at = text.find_first_of(kDigits, at)) {
    const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
    const auto number = whole_number(text.substr(at, end - at));
    if (!number || *number < 0 || *number > instance.jobs) {
      throw FileError(file, fmt::format("'{}' is not a job of {}, which has {}",
                                        text.substr(at, end - at), instance.name, instance.jobs));
    }
    permutation.push_back(*number);
    at = end;
  }
  if (std::find(permutation.begin(), permutation.end(), 0) == permutation.end()) {
    for (int& job : permutation) {
      --job;
    }
  }
  if (!is_complete(instance, permutation)) {
    throw FileError(file, fmt::format("is not a permutation of the {} jobs of {}", instance.jobs,
                                      instance.name));
  }
  return permutation;
}

/// `none` of what cannot be looked at.
std::filesystem::file_type type_of(const std::string& file) {
  std::error_code none;
  return std::filesystem::status(file, none).type();
}

/// A regular file, or what cannot be looked at, which is told of where it is read.
bool may_be_read(const std::string& file) {
  const auto type = type_of(file);
  return type == std::filesystem::file_type::regular || type == std::filesystem::file_type::none;
}

}  // namespace

Instance instance_named(const std::string& name) {
  if (may_be_read(name)) {
    std::vector<Instance> instances = read_instances(name);
    if (instances.size() > 1) {
      throw UsageError(
          fmt::format("{} holds {} instances: {}:1 is the first", name, instances.size(), name));
    }
    return std::move(instances.front());
  }
  const std::size_t colon = name.rfind(':');
  const std::string file = name.substr(0, colon);
  if (colon != std::string::npos && may_be_read(file)) {
    std::vector<Instance> instances = read_instances(file);
    const auto number = whole_number(std::string_view(name).substr(colon + 1));
    if (!number || *number < 1 || static_cast<std::size_t>(*number) > instances.size()) {
      throw UsageError(fmt::format("'{}' is not one of the instances of {}, 1 to {}",
                                   name.substr(colon + 1), file, instances.size()));
    }
    return std::move(instances[static_cast<std::size_t>(*number - 1)]);
  }
  try {
    return taillard_instance(name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, nor a file", error.what()));
  }
}

Start parse_incumbent(const std::string& text, const Instance& instance) {
  if (text == "optimal") {
    if (!instance.best_known) {
      throw UsageError(fmt::format("--incumbent: no makespan of {} is known", instance.name));
    }
    return {.incumbent = *instance.best_known};
  }
  if (const auto number = whole_number(text)) {
    if (*number < 1) {
      throw UsageError(
          fmt::format("--incumbent: '{}' is not a makespan, which is at least 1", text));
    }
    return {.incumbent = *number};
  }
  if (type_of(text) == std::filesystem::file_type::not_found) {
    throw UsageError(
        fmt::format("--incumbent: '{}' is not optimal, heuristic, a makespan or a file", text));
  }
  Permutation permutation = read_permutation(text, instance);
  const int length = makespan(instance, permutation);
  return {.incumbent = length, .permutation = std::move(permutation)};
}

Start heuristic_start(const Instance& instance, std::uint64_t seed) {
  constexpr std::int64_t kIterations = 500;
  Schedule schedule = iterated_greedy(
      instance, seed, {.iterations = kIterations, .makespan = instance.best_known.value_or(0)});
  return {.incumbent = schedule.makespan, .permutation = std::move(schedule.permutation)};
}

}  // namespace cleave::flowshop
