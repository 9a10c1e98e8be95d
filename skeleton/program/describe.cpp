// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/program/describe.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Study& study) {
  return {{"size_option", study.size_option}, {"sizes", study.sizes},
          {"rounds", study.rounds},           {"repetitions", study.repetitions},
          {"warm_up", study.warm_up},         {"inputs", name_of(study.inputs)}};
}

template <class Values>
Json names_of(const Values& values) {
  Json names = Json::array();
  for (const auto value : values) {
    names.push_back(name_of(value));
  }
  return names;
}

std::int64_t scaled(std::int64_t count, double factor) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(count) * factor));
}

}  // namespace

bool asks_to_be_told(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "--help" || argument == "-h" || argument == "--version" ||
           argument == "--describe";
  });
}

Study default_study(const ProgramTraits& program, bool is_quick) {
  Study study;
  if (program.sizes.empty()) {
    return study;
  }
  constexpr int kSteps = 10;
  const SizeOption& first = program.sizes.front();
  for (int step = kSteps; step >= 0; --step) {
    NamedSizes sizes;
    if (program.searches) {
      if (step > kSteps / 2 || first.default_count - step - (is_quick ? 1 : 0) < 1) {
        continue;
      }
      sizes[std::string(first.name)] = first.default_count - step - (is_quick ? 1 : 0);
      for (std::size_t i = 1; i < program.sizes.size(); ++i) {
        sizes[std::string(program.sizes[i].name)] = program.sizes[i].default_count;
      }
      study.sizes.push_back(as_size_option(sizes));
      continue;
    }
    const double factor = std::pow(0.75, step) / (is_quick ? 8 : 1);
    sizes[std::string(first.name)] = scaled(first.default_count, factor);
    if (program.sizes.size() == 1) {
      study.sizes.push_back(as_size_option(sizes));
      continue;
    }
    for (const double share : {0.5, 1.0, 2.0}) {
      for (std::size_t i = 1; i < program.sizes.size(); ++i) {
        sizes[std::string(program.sizes[i].name)] =
            scaled(program.sizes[i].default_count, factor * share);
      }
      study.sizes.push_back(as_size_option(sizes));
    }
  }
  study.sizes.erase(std::unique(study.sizes.begin(), study.sizes.end()), study.sizes.end());
  return study;
}

void print_description(const ProgramTraits& program, const CommandLine& line, const Study& study,
                       const Study& quick_study) {
  const RunOptions& options = line.options;
  Json placements = Json::object();
  for (const DC_Type type : program.types) {
    placements[std::string(name_of(type))] = names_of(program.placements_of(type));
  }
  Json sizes = Json::array();
  for (const SizeOption& size : program.sizes) {
    sizes.push_back({{"name", size.name}, {"default", size.default_count}});
  }
  Json own = Json::array();
  for (const OwnOption& option : line.own) {
    own.push_back(
        {{"name", option.name}, {"value", option.value}, {"description", option.description}});
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
                            {"options", std::move(own)},
                            {"study", to_json(study)},
                            {"quick_study", to_json(quick_study)}};
  fmt::print("{}\n", description.dump());
  if (std::fflush(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

}  // namespace cleave::detail
