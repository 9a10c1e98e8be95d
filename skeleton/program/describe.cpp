// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <cleave/command_line/output.hpp>
#include <cleave/program/parse_options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/study.hpp>

namespace cleave::detail {

namespace {

using Json = nlohmann::ordered_json;

template <class Values>
Json names_of(const Values& values) {
  Json names = Json::array();
  for (const auto value : values) {
    names.push_back(name_of(value));
  }
  return names;
}

/// The default times `factor`, or what is allowed next to it.
std::int64_t scaled(const SizeOption& size, double factor) {
  const auto count = std::llround(static_cast<double>(size.default_count) * factor);
  return size.step.nearest(std::max<std::int64_t>(1, count));
}

/// What a study runs of the first size, ascending.
std::vector<std::int64_t> counts_of(const SizeOption& size, bool is_of_search, bool is_quick) {
  constexpr int kSteps = 10;
  constexpr int kStepsOfSearch = 5;
  constexpr int kStepsOfPowers = 7;
  const SizeStep& step = size.step;
  std::vector<std::int64_t> counts;
  const auto add = [&](std::int64_t count) {
    if (count > 0 && (counts.empty() || count < counts.back())) {
      counts.push_back(count);
    }
  };
  if (step.is_of_powers()) {
    std::int64_t count = is_quick ? scaled(size, 1.0 / 8) : size.default_count;
    for (int i = 0; i <= kStepsOfPowers; ++i, count /= step.number()) {
      add(count);
    }
  } else if (is_of_search) {
    for (int i = is_quick ? 1 : 0, last = i + kStepsOfSearch; i <= last; ++i) {
      add(size.default_count - i * step.number());
    }
  } else {
    for (int i = 0; i <= kSteps; ++i) {
      add(scaled(size, std::pow(0.75, i) / (is_quick ? 8 : 1)));
    }
  }
  std::ranges::reverse(counts);
  return counts;
}

}  // namespace

bool asks_to_be_told(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "--help" || argument == "-h" || argument == "--version" ||
           argument == "--describe";
  });
}

Study default_study(const ProgramTraits& program, bool is_quick) {
  for (const FileOption& file : program.files) {
    if (!file.study.empty()) {
      return {.sizes = file.study, .size_option = fmt::format("--{}", file.name)};
    }
  }
  Study study;
  if (program.sizes.empty()) {
    return study;
  }
  const SizeOption& first = program.sizes.front();
  for (const std::int64_t count : counts_of(first, program.searches, is_quick)) {
    NamedSizes sizes = {{std::string(first.name), count}};
    const double factor = static_cast<double>(count) / static_cast<double>(first.default_count);
    const bool is_alone = program.searches || program.sizes.size() == 1;
    for (const double share : is_alone ? std::vector{1.0} : std::vector{0.5, 1.0, 2.0}) {
      for (std::size_t i = 1; i < program.sizes.size(); ++i) {
        const SizeOption& other = program.sizes[i];
        sizes[std::string(other.name)] =
            program.searches ? other.default_count : scaled(other, factor * share);
      }
      study.sizes.push_back(as_size_option(sizes));
    }
  }
  study.sizes.erase(std::unique(study.sizes.begin(), study.sizes.end()), study.sizes.end());
  return study;
}

void print_description(const ProgramTraits& program, const CommandLine& line) {
  const RunOptions& options = line.options;
  const auto study = [&](bool is_quick) {
    return to_json(program.study ? program.study(options, is_quick)
                                 : default_study(program, is_quick));
  };
  Json placements = Json::object();
  for (const DC_Type type : program.types) {
    placements[std::string(name_of(type))] = names_of(program.placements_of(type));
  }
  Json sizes = Json::array();
  for (const SizeOption& size : program.sizes) {
    sizes.push_back({{"name", size.name}, {"default", size.default_count}});
    if (!size.step.is_any()) {
      sizes.back()["step"] = size.step.text();
    }
  }
  const Json description = {{"format", "cleave-program"},
                            {"version", kDescriptionVersion},
                            {"name", program.name},
                            {"summary", program.summary},
                            {"type", name_of(options.type)},
                            {"types", names_of(program.types)},
                            {"placement", name_of(options.placement)},
                            {"placements", std::move(placements)},
                            {"sizes", std::move(sizes)},
                            {"study", study(false)},
                            {"quick_study", study(true)}};
  write_out(description.dump() + "\n");
}

}  // namespace cleave::detail
