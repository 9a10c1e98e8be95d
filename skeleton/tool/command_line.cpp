// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/sizes.hpp>
#include <cleave/tool/command_line.hpp>
#include <cleave/tool/suggestion.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/lines.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

std::vector<CLI::App*> subcommands_of(CLI::App& cli) {
  return cli.get_subcommands([](CLI::App*) { return true; });
}

/// CLI11's help, in lines that a terminal holds.
class Help : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* cli) const override {
    const std::string text = Formatter::make_description(cli);
    return text.empty() ? text : wrapped(text.substr(0, text.size() - 1), 0);
  }

  /// Values that are too many for a line go on in the next.
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string text = Formatter::make_option(option, is_positional);
    if (text.find('\n') > kTerminalColumns) {
      text.insert(text.rfind(',', kTerminalColumns - 1) + 1, "\n      ");
    }
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return in_column(option->get_description());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, command->get_display_name(true),
                             in_column(command->get_description()), column_width_);
    return text.str();
  }

 private:
  std::string in_column(const std::string& text) const {
    std::string lines = wrapped(text, 0, kTerminalColumns - column_width_);
    lines.pop_back();
    return lines;
  }
};

void set_help(CLI::App& cli, const std::shared_ptr<Help>& help) {
  cli.formatter(help);
  for (CLI::App* const command : subcommands_of(cli)) {
    set_help(*command, help);
  }
}

/// The command that was named last; `cli` itself if none was.
CLI::App& last_command(CLI::App& cli) {
  CLI::App* command = &cli;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  return *command;
}

/// What is wrong with a command line whose first argument should be a command and is none; nothing
/// if that is not the mistake.
std::optional<std::string> unknown_command(CLI::App& cli) {
  const std::vector<std::string> rest = cli.remaining();
  if (subcommands_of(cli).empty() || !cli.get_subcommands().empty() || rest.empty() ||
      rest.front().starts_with('-')) {
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const CLI::App* command : subcommands_of(cli)) {
    known.push_back(command->get_name());
  }
  return fmt::format("'{}' is no command, allowed are {}", rest.front(), fmt::join(known, ", "));
}

/// Of the first option that is not known, what was meant.
std::string suggestion_for(CLI::App& cli) {
  std::vector<std::string> known;
  for (const CLI::Option* option : last_command(cli).get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (!option->get_group().empty()) {
        known.push_back("--" + name);
      }
    }
  }
  for (const std::string& word : cli.remaining(true)) {
    if (word.starts_with("--") && word.size() > 2) {
      return did_you_mean(word.substr(0, word.find('=')), known);
    }
  }
  return "";
}

/// "auto paper" of the type "TEXT:{auto,paper}", FILE of any other; empty of a flag.
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

std::string one_line(std::string text) {
  for (char& c : text) {
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  return visible(text);
}

Count::Count(std::int64_t min, std::int64_t max)
    : ParsedBy([min, max](std::string& text) {
        const std::int64_t count = parse_count(text);
        if (count < min || count > max) {
          const std::string allowed =
              max == std::numeric_limits<std::int64_t>::max()
                  ? fmt::format("at least {}", format_count(min))
                  : fmt::format("from {} to {}", format_count(min), format_count(max));
          throw UsageError(fmt::format("'{}' is out of range: {}", text, allowed));
        }
        text = std::to_string(count);
      }) {}

Number::Number(double min, double max)
    : ParsedBy([min, max](const std::string& text) {
        double number = 0;
        if (!CLI::detail::lexical_cast(text, number) || !(number >= min && number <= max)) {
          throw UsageError(fmt::format("'{}' is out of range: from {} to {}", text, min, max));
        }
      }) {}

Duration::Duration(double min_s, double max_s)
    : ParsedBy([min_s, max_s](std::string& text) {
        const double seconds = parse_duration(text);
        if (seconds < min_s || seconds > max_s) {
          throw UsageError(fmt::format("'{}' is out of range: from {} to {}", text,
                                       format_seconds(min_s), format_seconds(max_s)));
        }
        text = fmt::format("{}", seconds);
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
    for (CLI::App* const sub : subcommands_of(*command)) {
      if (sub->check_name(argv[i])) {
        command = sub;
        break;
      }
    }
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
  cli.set_version_flag("--version", cli.get_name() + " " + version() + " (" + commit() + ")");
  if (argc > 1 && std::string_view(argv[argc - 1]) == "--completions") {
    if (speaks) {
      std::fputs(completions_after(cli, argc - 1, argv).c_str(), stdout);
    }
    return false;
  }
  set_help(cli, std::make_shared<Help>());
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (speaks) {
      std::ostringstream text;
      cli.exit(asked, text, text);
      std::fputs(text.str().c_str(), stdout);
    }
    return false;
  } catch (const CLI::ValidationError& mistake) {  // says what is allowed
    throw UsageError(one_line(mistake.what()));
  } catch (const CLI::ParseError& mistake) {
    throw UsageError(one_line(unknown_command(cli).value_or(mistake.what())) + " (see --help)" +
                     suggestion_for(cli));
  }
  return true;
}

void check_has_standard_output(const std::string& option, const std::filesystem::path& file,
                               bool json) {
  if (json && is_standard_output(file)) {
    throw UsageError(fmt::format(
        "{0} - and --json both write to standard output: give {0} a file, or leave one out",
        option));
  }
}

void check_is_not_read(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& inputs) {
  std::error_code none;
  for (const std::string& input : inputs) {
    if (std::filesystem::equivalent(input, file, none)) {
      throw UsageError(
          fmt::format("{}: {} is read, choose another file to write", option, file.string()));
    }
  }
}

void write_out(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  flush_out();
}

void flush_out() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

std::string command_line_of(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    line += (i == 0 ? "" : " ") + std::string(argv[i]);
  }
  return line;
}

}  // namespace cleave::detail
