// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include <cleave/error.hpp>

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

/// Ten instances of one size.
struct Group {
  int jobs;
  int machines;
  std::array<std::uint32_t, 10> time_seeds;
  std::array<int, 10> best_known;  ///< makespans, from the public summary of results
};

constexpr std::array<Group, 12> kGroups = {{
    {20,
     5,
     {873654221, 379008056, 1866992158, 216771124, 495070989, 402959317, 1369363414, 2021925980,
      573109518, 88325120},
     {1278, 1359, 1081, 1293, 1235, 1195, 1234, 1206, 1230, 1108}},
    {20,
     10,
     {587595453, 1401007982, 873136276, 268827376, 1634173168, 691823909, 73807235, 1273398721,
      2065119309, 1672900551},
     {1582, 1659, 1496, 1377, 1419, 1397, 1484, 1538, 1593, 1591}},
    {20,
     20,
     {479340445, 268827376, 1958948863, 918272953, 555010963, 2010851491, 1519833303, 1748670931,
      1923497586, 1829909967},
     {2297, 2099, 2326, 2223, 2291, 2226, 2273, 2200, 2237, 2178}},
    {50,
     5,
     {1328042058, 200382020, 496319842, 1203030903, 1730708564, 450926852, 1303135678, 1273398721,
      587288402, 248421594},
     {2724, 2834, 2621, 2751, 2863, 2829, 2725, 2683, 2552, 2782}},
    {50,
     10,
     {1958948863, 575633267, 655816003, 1977864101, 93805469, 1803345551, 49612559, 1899802599,
      2013025619, 578962478},
     {2991, 2867, 2839, 3063, 2976, 3006, 3093, 3037, 2897, 3065}},
    {50,
     20,
     {1539989115, 691823909, 655816003, 1315102446, 1949668355, 1923497586, 1805594913, 1861070898,
      715643788, 464843328},
     {3846, 3699, 3640, 3719, 3610, 3679, 3704, 3691, 3741, 3755}},
    {100,
     5,
     {896678084, 1179439976, 1122278347, 416756875, 267829958, 1835213917, 1328833962, 1418570761,
      161033112, 304212574},
     {5493, 5268, 5175, 5014, 5250, 5135, 5246, 5094, 5448, 5322}},
    {100,
     10,
     {1539989115, 655816003, 960914243, 1915696806, 2013025619, 1168140026, 1923497586, 167698528,
      1528387973, 993794175},
     {5770, 5349, 5676, 5781, 5467, 5303, 5595, 5617, 5871, 5845}},
    {100,
     20,
     {450926852, 1462772409, 1021685265, 83696007, 508154254, 1861070898, 26482542, 444956424,
      2115448041, 118254244},
     {6173, 6183, 6252, 6254, 6285, 6331, 6223, 6372, 6247, 6404}},
    {200,
     10,
     {471503978, 1215892992, 135346136, 1602504050, 160037322, 551454346, 519485142, 383947510,
      1968171878, 540872513},
     {10862, 10480, 10922, 10889, 10524, 10329, 10854, 10730, 10438, 10675}},
    {200,
     20,
     {2013025619, 475051709, 914834335, 810642687, 1019331795, 2056065863, 1342855162, 1325809384,
      1988803007, 765656702},
     {11158, 11160, 11281, 11275, 11259, 11176, 11337, 11301, 11146, 11284}},
    {500,
     20,
     {1368624604, 450181436, 1927888393, 1759567256, 606425239, 19268348, 1298201670, 2041736264,
      379756761, 28837162},
     {26040, 26500, 26371, 26456, 26334, 26469, 26389, 26560, 26005, 26457}},
}};

/// `machines` x `jobs` times from 1 to 99, machine 0's jobs first. \pre 0 < time_seed < 2^31 - 1
std::vector<int> taillard_times(int machines, int jobs, std::uint32_t time_seed) {
  constexpr std::uint64_t kMaxTime = 99;
  std::minstd_rand0 random(time_seed);  // whose numbers are those of the paper
  std::vector<int> times(static_cast<std::size_t>(machines) * static_cast<std::size_t>(jobs));
  std::ranges::generate(times, [&] {
    return static_cast<int>(1 + kMaxTime * random() / std::minstd_rand0::modulus);
  });
  return times;
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

Instance taillard_instance(std::string_view name) {
  int number = 0;
  for (const Group& group : kGroups) {
    for (std::size_t i = 0; i < group.time_seeds.size(); ++i) {
      if (name == fmt::format("ta{:03}", ++number)) {
        return {.name = std::string(name),
                .jobs = group.jobs,
                .machines = group.machines,
                .times = taillard_times(group.machines, group.jobs, group.time_seeds[i]),
                .best_known = group.best_known[i]};
      }
    }
  }
  throw UsageError(fmt::format("'{}' is not one of Taillard's instances, ta001 to ta120", name));
}

}  // namespace cleave::flowshop
