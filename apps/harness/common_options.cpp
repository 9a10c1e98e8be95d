#include "apps/harness/common_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/harness/names.hpp"
#include "skeleton/program/command_line.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr const char* kOwnGroup = "Options of this application";
constexpr const char* kCommonGroup = "Options of all applications";

constexpr Names<DC_Type, 3> kTypes = {{{"sequential", DC_Type::sequential},
                                       {"hypercube", DC_Type::hypercube},
                                       {"work_stealing", DC_Type::work_stealing}}};
constexpr Names<Placement, 3> kPlacements = {{{"replicated", Placement::replicated},
                                              {"rooted", Placement::rooted},
                                              {"distributed", Placement::distributed}}};
constexpr Names<Inputs, 2> kInputs = {{{"same", Inputs::same}, {"new", Inputs::each_new}}};

int parse_runs(std::string_view text, int least) {
  constexpr int kMostRuns = 1'000'000;
  return static_cast<int>(parse_count_between(text, least, kMostRuns));
}

int parse_threads(std::string_view text) {
  constexpr int kMostThreads = 1024;
  return static_cast<int>(parse_count_between(text, 1, kMostThreads));
}

double parse_interval(const std::string& text) {
  double seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !(seconds > 0) ||
      !std::isfinite(seconds)) {
    throw UsageError(fmt::format("'{}' is not a number of seconds above 0", text));
  }
  return seconds;
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
std::string_view name_of(Inputs inputs) { return name_among(kInputs, inputs); }

CommandLine::CommandLine(std::string_view app, std::string_view summary, Searches searches,
                         Placement placement)
    : cli_(std::make_unique<CLI::App>(std::string(summary), fmt::format("cleave-{}", app))) {
  common_.placement = placement;
  if (searches == Searches::yes) {
    common_.type = DC_Type::work_stealing;
  }
  add_common(searches);
  if (searches == Searches::yes) {
    add_of_search();
  }
}

CLI::Option* CommandLine::add_shared(const std::string& name, const std::string& default_value,
                                     const std::string& description, Parse parse) {
  return add_text(*cli_, kCommonGroup, name, default_value, description, std::move(parse));
}

void CommandLine::add_common(Searches searches) {
  CommonOptions& o = common_;
  add_shared("--type", std::string(name_of(o.type)),
             "executor: sequential, hypercube, work_stealing",
             [&o](const std::string& text) { o.type = parse_name(kTypes, text); });
  add_shared(
      "--placement", std::string(name_of(o.placement)),
      "who holds the problem and gets the solution: replicated (every rank), rooted (rank 0), "
      "distributed (every rank a part; not for every application)",
      [&o](const std::string& text) { o.placement = parse_name(kPlacements, text); });
  add_shared("--threads", fmt::format("{}", o.threads),
             "threads of each rank; more than one with work_stealing only",
             [&o](const std::string& text) { o.threads = parse_threads(text); });
  add_shared("--repetitions", fmt::format("{}", o.repetitions),
             searches == Searches::yes ? "runs that are timed (with --checkpoint: 1)"
                                       : "runs that are timed",
             [&o](const std::string& text) { o.repetitions = parse_runs(text, 1); });
  add_shared("--warm-up", fmt::format("{}", o.warm_up),
             searches == Searches::yes ? "runs before them that are not (with --checkpoint: 0)"
                                       : "runs before them that are not",
             [&o](const std::string& text) { o.warm_up = parse_runs(text, 0); });
  add_shared(
      "--seed", fmt::format("{}", o.seed), "of generated input",
      [&o](const std::string& text) { o.seed = static_cast<std::uint64_t>(parse_count(text)); });
  add_shared("--inputs", std::string(name_of(o.inputs)),
             "of generated input: the same in every repetition, or a new one of the same sizes in "
             "each, in the last that of --seed",
             [&o](const std::string& text) { o.inputs = parse_name(kInputs, text); });
  add_shared("--trace", "", "write every block of every rank to this file (*.trace.jsonl)",
             [&o](const std::string& text) { o.trace = text; });
  cli_->add_flag("--verify", o.verify, "check the result by an independent method")
      ->group(kCommonGroup);
  cli_->add_flag("--json", o.json, "print the result as one JSON object on one line")
      ->group(kCommonGroup);
  // For tests and referees, hence not in --help.
  cli_->add_option_function<std::vector<std::string>>(
          "--inject",
          [&o](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              parse_option("--inject", [&] { o.injections.push_back(parse_injection(text)); });
            }
          })
      ->group("");
  add_text(*cli_, "", "--dilate", "", "", [&o](const std::string& text) {
    o.dilation = static_cast<int>(parse_count_between(text, 1, 1000));
  });
}

void CommandLine::add_of_search() {
  CommonOptions& o = common_;
  add_shared("--max-nodes", "", "refuse a tree that has more nodes than this",
             [&o](const std::string& text) { o.max_nodes = parse_count(text); });
  add_shared("--max-memory", "", "refuse a search that needs more bytes than this on a rank",
             [&o](const std::string& text) { o.max_memory_bytes = parse_count(text); });
  add_shared("--checkpoint", "", "write snapshots to this folder, which all ranks see",
             [&o](const std::string& text) { o.checkpoint = text; });
  add_shared("--checkpoint-every", fmt::format("{}", o.checkpoint_every_s),
             "seconds between two snapshots",
             [&o](const std::string& text) { o.checkpoint_every_s = parse_interval(text); });
  cli_->add_flag("--resume", o.resume,
                 "begin from the newest snapshot in the folder, if it has one")
      ->group(kCommonGroup);
}

/// What no single option can tell.
void CommandLine::check_combinations() {
  CommonOptions& o = common_;
  if (o.threads > 1 && o.type != DC_Type::work_stealing) {
    throw UsageError(fmt::format("--threads: {} runs one thread a rank, start more ranks instead",
                                 name_of(o.type)));
  }
  if (!o.checkpoint) {
    if (o.resume) {
      throw UsageError("--resume: say which folder by --checkpoint");
    }
    return;
  }
  if (o.type != DC_Type::work_stealing) {
    throw UsageError(fmt::format("--checkpoint: {} writes no snapshots", name_of(o.type)));
  }
  const auto only = [this](const char* name, int& value, int allowed) {
    if (cli_->get_option(name)->count() > 0 && value != allowed) {
      throw UsageError(fmt::format("{}: must be {} with --checkpoint, which is for one long run",
                                   name, allowed));
    }
    value = allowed;
  };
  only("--repetitions", o.repetitions, 1);
  only("--warm-up", o.warm_up, 0);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, const std::string& default_value,
                      const std::string& description, Parse parse) {
  add_text(*cli_, kOwnGroup, name, default_value, description, std::move(parse));
}

bool CommandLine::parse(int argc, char** argv, bool speaks) {
  if (!parse_command_line(*cli_, argc, argv, speaks)) {
    return false;
  }
  check_combinations();
  return true;
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
