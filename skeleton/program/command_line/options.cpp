// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/host/host.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

std::vector<CLI::App*> subcommands_of(CLI::App& cli) {
  return cli.get_subcommands([](CLI::App*) { return true; });
}

/// "auto paper" of the type "TEXT:{auto,paper}", FILE of any other; empty of a flag.
std::string values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{');
  const auto end = type.find('}');
  if (option.get_expected_max() == 0 || end == std::string::npos) {
    return option.get_expected_max() == 0 ? "" : "FILE";
  }
  std::string values = type.substr(begin + 1, end - begin - 1);
  std::ranges::replace(values, ',', ' ');
  return values;
}

/// \throws UsageError  if not `min` <= `value` <= `max`
template <class Value, class Format>
void require_range(const std::string& text, Value value, Value min, Value max,
                   const Format& format) {
  if (!(value >= min && value <= max)) {
    throw UsageError(fmt::format("'{}' is out of range: {}", text,
                                 max == std::numeric_limits<Value>::max()
                                     ? fmt::format("at least {}", format(min))
                                     : fmt::format("from {} to {}", format(min), format(max))));
  }
}

}  // namespace

Count::Count(std::int64_t min, std::int64_t max)
    : ParsedBy([min, max](std::string& text) {
        const std::int64_t count = parse_count(text);
        require_range(text, count, min, max, format_count);
        text = std::to_string(count);
      }) {}

Number::Number(double min, double max)
    : ParsedBy([min, max](const std::string& text) {
        double number = std::numeric_limits<double>::quiet_NaN();
        CLI::detail::lexical_cast(text, number);
        require_range(text, number, min, max, [](double value) { return fmt::to_string(value); });
      }) {}

Duration::Duration(double min_s, double max_s)
    : ParsedBy([min_s, max_s](std::string& text) {
        const double seconds = parse_duration(text);
        require_range(text, seconds, min_s, max_s, format_seconds);
        text = fmt::to_string(seconds);
      }) {}

FileName::FileName()
    : ParsedBy([](const std::string& text) {
        if (text.empty()) {
          throw UsageError("'' is not the name of a file or folder");
        }
      }) {}

std::string completions_after(CLI::App& cli, int argc, char** argv) {
  CLI::App* command = &cli;
  for (int i = 1; i < argc; ++i) {
    const auto all = subcommands_of(*command);
    const auto named = std::ranges::find(all, argv[i], &CLI::App::get_name);
    command = named == all.end() ? command : *named;
  }
  std::string lines;
  for (const CLI::App* const sub : subcommands_of(*command)) {
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

bool parse_command_line(CLI::App& cli, int argc, char** argv, bool speaks) {
  const std::string name_and_version = cli.get_name() + " " + version() + " (" + commit() + ")";
  cli.set_version_flag("--version", name_and_version);
  for (CLI::App* const command : subcommands_of(cli)) {
    command->set_version_flag("--version", name_and_version);
  }
  std::ostringstream told;
  if (argc > 1 && std::string_view(argv[argc - 1]) == "--completions") {
    told << completions_after(cli, argc - 1, argv);
  } else {
    try {
      cli.parse(argc, argv);
      return true;
    } catch (const CLI::Success& asked) {
      cli.exit(asked, told, told);
    } catch (const CLI::ValidationError& mistake) {  // says what is allowed
      throw UsageError(one_line(mistake.what()));
    } catch (const CLI::ParseError& mistake) {
      throw UsageError(one_line(mistake.what()) + " (see --help)");
    }
  }
  if (speaks) {
    std::fputs(told.str().c_str(), stdout);
  }
  return false;
}

}  // namespace cleave::detail
