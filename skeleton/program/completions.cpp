// SPDX-License-Identifier: Apache-2.0
#include <cleave/program/command_line.hpp>

namespace cleave::detail {

namespace {

/// "auto paper" of the type "{auto,paper}" or "TEXT:{auto,paper}", FILE of any other; empty of a
/// flag.
std::string values_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) {
    return "";
  }
  const std::string type = option.get_type_name();
  const auto begin = type.find('{');
  const auto end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) {
    return "FILE";
  }
  std::string values = type.substr(begin + 1, end - begin - 1);
  std::replace(values.begin(), values.end(), ',', ' ');
  return values;
}

}  // namespace

std::string completions_after(CLI::App& cli, int argc, char** argv) {
  CLI::App* command = &cli;
  const auto subcommands = [](CLI::App& of) {
    return of.get_subcommands([](CLI::App*) { return true; });
  };
  for (int i = 1; i < argc; ++i) {
    for (CLI::App* const sub : subcommands(*command)) {
      if (sub->check_name(argv[i])) {
        command = sub;
        break;
      }
    }
  }
  std::string lines;
  for (const CLI::App* const sub : subcommands(*command)) {
    lines += sub->get_name() + '\n';
  }
  for (const CLI::Option* const option : command->get_options()) {
    if (!option->get_group().empty()) {
      for (const std::string& name : option->get_lnames()) {
        lines += fmt::format("--{}\t{}\n", name, values_of(*option));
      }
    }
  }
  return lines;
}

}  // namespace cleave::detail
