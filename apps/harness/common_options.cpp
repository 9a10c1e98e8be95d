#include "apps/harness/common_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "skeleton/program/command_line.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr const char* kOwnGroup = "Options of this application";
constexpr const char* kCommonGroup = "Options of all applications";

constexpr std::array<std::pair<std::string_view, DC_Type>, 2> kTypes = {
    {{"sequential", DC_Type::sequential}, {"hypercube", DC_Type::hypercube}}};
constexpr std::array<std::pair<std::string_view, Placement>, 3> kPlacements = {
    {{"replicated", Placement::replicated},
     {"rooted", Placement::rooted},
     {"distributed", Placement::distributed}}};

template <class Value, std::size_t n>
Value parse_name(const std::array<std::pair<std::string_view, Value>, n>& names,
                 std::string_view text) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) {
    if (name == text) {
      return value;
    }
    known.push_back(name);
  }
  throw UsageError(fmt::format("'{}' is not one of {}", text, fmt::join(known, ", ")));
}

template <class Value, std::size_t n>
std::string_view name_among(const std::array<std::pair<std::string_view, Value>, n>& names,
                            Value value) {
  return std::find_if(names.begin(), names.end(),
                      [value](const auto& named) { return named.second == value; })
      ->first;
}

int parse_runs(std::string_view text, int least) {
  constexpr int kMostRuns = 1'000'000;
  return static_cast<int>(parse_count_between(text, least, kMostRuns));
}

/// Threads of each rank: no executor uses more than one.
int parse_threads(std::string_view text) {
  if (parse_count(text) != 1) {
    throw UsageError(fmt::format(
        "'{}' is not 1: an executor runs one thread a rank, start more ranks instead", text));
  }
  return 1;
}

CLI::Option* add_text(CLI::App& cli, const char* group, const std::string& name,
                      const std::string& default_value, const std::string& description,
                      CommandLine::Parse parse) {
  return cli
      .add_option_function<std::string>(
          name,
          [name, parse = std::move(parse)](const std::string& text) {
            parse_option(name, [&] { parse(text); });
          },
          description)
      ->default_str(default_value)
      ->group(group);
}

}  // namespace

std::string_view name_of(DC_Type type) { return name_among(kTypes, type); }
std::string_view name_of(Placement placement) { return name_among(kPlacements, placement); }

CommandLine::CommandLine(std::string_view app, std::string_view summary, Placement placement)
    : cli_(std::make_unique<CLI::App>(std::string(summary), fmt::format("cleave-{}", app))) {
  CommonOptions& o = common_;
  o.placement = placement;
  const auto add_common = [this](const char* name, const std::string& default_value,
                                 const char* description, Parse parse) {
    return add_text(*cli_, kCommonGroup, name, default_value, description, std::move(parse));
  };
  add_common("--type", std::string(name_of(o.type)), "executor: sequential, hypercube",
             [&o](const std::string& text) { o.type = parse_name(kTypes, text); });
  add_common(
      "--placement", std::string(name_of(o.placement)),
      "who holds the problem and gets the solution: replicated (every rank), rooted (rank 0), "
      "distributed (every rank a part; not for every application)",
      [&o](const std::string& text) { o.placement = parse_name(kPlacements, text); });
  add_common("--threads", fmt::format("{}", o.threads), "threads of each rank",
             [&o](const std::string& text) { o.threads = parse_threads(text); });
  add_common("--repetitions", fmt::format("{}", o.repetitions), "runs that are timed",
             [&o](const std::string& text) { o.repetitions = parse_runs(text, 1); });
  add_common("--warm-up", fmt::format("{}", o.warm_up), "runs before them that are not",
             [&o](const std::string& text) { o.warm_up = parse_runs(text, 0); });
  add_common(
      "--seed", fmt::format("{}", o.seed), "of generated input",
      [&o](const std::string& text) { o.seed = static_cast<std::uint64_t>(parse_count(text)); });
  add_common("--trace", "", "write every block of every rank to this file (*.trace.jsonl)",
             [&o](const std::string& text) { o.trace = text; });
  cli_->add_flag("--verify", o.verify, "check the result by an independent method")
      ->group(kCommonGroup);
  cli_->add_flag("--json", o.json, "print the result as one JSON object on one line")
      ->group(kCommonGroup);
  // For tests, hence not in --help.
  cli_->add_option_function<std::vector<std::string>>(
          "--inject",
          [&o](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              parse_option("--inject", [&] { o.injections.push_back(parse_injection(text)); });
            }
          })
      ->group("");
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, const std::string& default_value,
                      const std::string& description, Parse parse) {
  add_text(*cli_, kOwnGroup, name, default_value, description, std::move(parse));
}

bool CommandLine::parse(int argc, char** argv, bool speaks) {
  return parse_command_line(*cli_, argc, argv, speaks);
}

void CommandLine::default_to_one_run() {
  common_.repetitions = cli_->count("--repetitions") > 0 ? common_.repetitions : 1;
  common_.warm_up = cli_->count("--warm-up") > 0 ? common_.warm_up : 0;
}

std::map<std::string, std::string> CommandLine::own_options() const {
  std::map<std::string, std::string> values;
  for (const CLI::Option* option : cli_->get_options()) {
    if (option->get_group() == kOwnGroup) {
      values[option->get_single_name()] =
          option->count() > 0 ? option->results().front() : option->get_default_str();
    }
  }
  return values;
}

void parse_option(const std::string& name, const std::function<void()>& parse) {
  try {
    parse();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", name, error.what()));
  }
}

std::int64_t parse_count_between(std::string_view text, std::int64_t least, std::int64_t most) {
  const std::int64_t count = parse_count(text);
  if (count < least || count > most) {
    throw UsageError(
        fmt::format("'{}' is out of range: from {} to {}", text, least, format_count(most)));
  }
  return count;
}

NamedSizes parse_sizes_named(std::string_view text, std::initializer_list<const char*> allowed) {
  NamedSizes sizes = parse_sizes(text);
  for (const auto& [name, count] : sizes) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw UsageError(fmt::format("'{}' is not a size of this application: {}", name,
                                   fmt::join(allowed, ", ")));
    }
  }
  return sizes;
}

}  // namespace cleave
