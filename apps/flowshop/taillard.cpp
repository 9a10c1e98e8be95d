// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/taillard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::flowshop {

namespace {

struct Published {
  std::int32_t time_seed;
  int best_known;  ///< makespan, from the public summary of results
};

/// Ten instances of one size.
struct Group {
  int jobs;
  int machines;
  std::array<Published, 10> instances;
};

constexpr std::array<Group, 12> kGroups = {{
    {20,
     5,
     {{{873654221, 1278},
       {379008056, 1359},
       {1866992158, 1081},
       {216771124, 1293},
       {495070989, 1235},
       {402959317, 1195},
       {1369363414, 1234},
       {2021925980, 1206},
       {573109518, 1230},
       {88325120, 1108}}}},
    {20,
     10,
     {{{587595453, 1582},
       {1401007982, 1659},
       {873136276, 1496},
       {268827376, 1377},
       {1634173168, 1419},
       {691823909, 1397},
       {73807235, 1484},
       {1273398721, 1538},
       {2065119309, 1593},
       {1672900551, 1591}}}},
    {20,
     20,
     {{{479340445, 2297},
       {268827376, 2099},
       {1958948863, 2326},
       {918272953, 2223},
       {555010963, 2291},
       {2010851491, 2226},
       {1519833303, 2273},
       {1748670931, 2200},
       {1923497586, 2237},
       {1829909967, 2178}}}},
    {50,
     5,
     {{{1328042058, 2724},
       {200382020, 2834},
       {496319842, 2621},
       {1203030903, 2751},
       {1730708564, 2863},
       {450926852, 2829},
       {1303135678, 2725},
       {1273398721, 2683},
       {587288402, 2552},
       {248421594, 2782}}}},
    {50,
     10,
     {{{1958948863, 2991},
       {575633267, 2867},
       {655816003, 2839},
       {1977864101, 3063},
       {93805469, 2976},
       {1803345551, 3006},
       {49612559, 3093},
       {1899802599, 3037},
       {2013025619, 2897},
       {578962478, 3065}}}},
    {50,
     20,
     {{{1539989115, 3846},
       {691823909, 3699},
       {655816003, 3640},
       {1315102446, 3719},
       {1949668355, 3610},
       {1923497586, 3679},
       {1805594913, 3704},
       {1861070898, 3691},
       {715643788, 3741},
       {464843328, 3755}}}},
    {100,
     5,
     {{{896678084, 5493},
       {1179439976, 5268},
       {1122278347, 5175},
       {416756875, 5014},
       {267829958, 5250},
       {1835213917, 5135},
       {1328833962, 5246},
       {1418570761, 5094},
       {161033112, 5448},
       {304212574, 5322}}}},
    {100,
     10,
     {{{1539989115, 5770},
       {655816003, 5349},
       {960914243, 5676},
       {1915696806, 5781},
       {2013025619, 5467},
       {1168140026, 5303},
       {1923497586, 5595},
       {167698528, 5617},
       {1528387973, 5871},
       {993794175, 5845}}}},
    {100,
     20,
     {{{450926852, 6173},
       {1462772409, 6183},
       {1021685265, 6252},
       {83696007, 6254},
       {508154254, 6285},
       {1861070898, 6331},
       {26482542, 6223},
       {444956424, 6372},
       {2115448041, 6247},
       {118254244, 6404}}}},
    {200,
     10,
     {{{471503978, 10862},
       {1215892992, 10480},
       {135346136, 10922},
       {1602504050, 10889},
       {160037322, 10524},
       {551454346, 10329},
       {519485142, 10854},
       {383947510, 10730},
       {1968171878, 10438},
       {540872513, 10675}}}},
    {200,
     20,
     {{{2013025619, 11158},
       {475051709, 11160},
       {914834335, 11281},
       {810642687, 11275},
       {1019331795, 11259},
       {2056065863, 11176},
       {1342855162, 11337},
       {1325809384, 11301},
       {1988803007, 11146},
       {765656702, 11284}}}},
    {500,
     20,
     {{{1368624604, 26040},
       {450181436, 26500},
       {1927888393, 26371},
       {1759567256, 26456},
       {606425239, 26334},
       {19268348, 26469},
       {1298201670, 26389},
       {2041736264, 26560},
       {379756761, 26005},
       {28837162, 26457}}}},
}};

/// Sizes of a file that keep every sum of times within an int.
constexpr int kMaxJobs = 10'000;
constexpr int kMaxMachines = 1'000;
constexpr int kMaxTime = 32'767;

constexpr std::string_view kBlanks = " \t\r";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Takes one number after the other from a text, and knows the line.
class NumberReader {
 public:
  NumberReader(std::string_view text, const std::filesystem::path& file)
      : rest_(text), file_(file) {}

  void skip_blanks() {
    while (!rest_.empty() &&
           (kBlanks.find(rest_.front()) != kBlanks.npos || rest_.front() == '\n')) {
      line_ += rest_.front() == '\n' ? 1 : 0;
      rest_.remove_prefix(1);
    }
  }

  void skip_captions() {
    for (skip_blanks(); !rest_.empty() && is_letter(rest_.front()); skip_blanks()) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
  }

  bool at_end() const { return rest_.empty(); }

  /// The next number. \param what  it is, for messages
  int take(const std::string& what, int minimum, int maximum) {
    skip_blanks();
    if (at_end()) {
      refuse(fmt::format("the file ends before {}", what));
    }
    const std::string_view token = rest_.substr(0, rest_.find_first_of(" \t\r\n"));
    long long number = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error == std::errc::invalid_argument || end != token.data() + token.size()) {
      constexpr std::size_t kShown = 40;
      refuse(fmt::format("'{}' is not a number, expected {}", token.substr(0, kShown), what));
    }
    if (error == std::errc::result_out_of_range || number < minimum || number > maximum) {
      refuse(fmt::format("{} is {}, allowed are {} to {}", what, token, minimum, maximum));
    }
    rest_.remove_prefix(token.size());
    return static_cast<int>(number);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(file_, fmt::format("line {}: {}", line_, what));
  }

 private:
  std::string_view rest_;
  const std::filesystem::path& file_;
  int line_ = 1;
};

Instance parse_instance(NumberReader& reader) {
  constexpr int kMaxMakespan = std::numeric_limits<int>::max();
  Instance instance;
  instance.jobs = reader.take("the number of jobs", 1, kMaxJobs);
  instance.machines = reader.take("the number of machines", 1, kMaxMachines);
  reader.take("the seed", 0, std::numeric_limits<std::int32_t>::max());
  const int upper_bound = reader.take("the upper bound", 0, kMaxMakespan);
  reader.take("the lower bound", 0, upper_bound == 0 ? kMaxMakespan : upper_bound);
  if (upper_bound != 0) {
    instance.best_known = upper_bound;
  }
  reader.skip_captions();
  for (int machine = 0; machine < instance.machines; ++machine) {
    for (int job = 0; job < instance.jobs; ++job) {
      instance.times.push_back(
          reader.take(fmt::format("the time of job {} of {} on machine {} of {}", job + 1,
                                  instance.jobs, machine + 1, instance.machines),
                      0, kMaxTime));
    }
  }
  return instance;
}

}  // namespace

std::vector<int> taillard_times(int machines, int jobs, std::int32_t time_seed) {
  constexpr std::int64_t kMultiplier = 16'807;
  constexpr std::int64_t kModulus = 2'147'483'647;
  constexpr std::int64_t kMaxTime = 99;
  std::vector<int> times(static_cast<std::size_t>(machines) * static_cast<std::size_t>(jobs));
  std::int64_t state = time_seed;
  for (int& time : times) {
    // With 64 bits Schrage's decomposition of the paper is not needed to stay exact.
    state = kMultiplier * state % kModulus;
    time = static_cast<int>(1 + kMaxTime * state / kModulus);
  }
  return times;
}

Instance taillard_instance(std::string_view name) {
  std::size_t number = 1;
  for (const Group& group : kGroups) {
    for (const Published& published : group.instances) {
      if (name == fmt::format("ta{:03}", number)) {
        return {.name = std::string(name),
                .jobs = group.jobs,
                .machines = group.machines,
                .times = taillard_times(group.machines, group.jobs, published.time_seed),
                .best_known = published.best_known};
      }
      ++number;
    }
  }
  throw UsageError(fmt::format("'{}' is not one of Taillard's instances, ta001 to ta120", name));
}

std::vector<Instance> parse_taillard_file(std::string_view text,
                                          const std::filesystem::path& file) {
  NumberReader reader(text, file);
  std::vector<Instance> instances;
  for (reader.skip_captions(); !reader.at_end(); reader.skip_captions()) {
    instances.push_back(parse_instance(reader));
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
