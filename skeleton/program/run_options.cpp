// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ranges>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/program/test_options.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace cleave {

using namespace detail;

namespace {

constexpr const char* kOwnGroup = "Options of this application";
constexpr const char* kCommonGroup = "Options of all applications";

/// Values by their own names.
template <class Value, std::size_t n>
constexpr Names<Value, n> named(const std::array<Value, n>& values) {
  Names<Value, n> names;
  for (std::size_t i = 0; i < n; ++i) {
    names[i] = {name_of(values[i]), values[i]};
  }
  return names;
}

constexpr auto kTypes =
    named(std::array{DC_Type::sequential, DC_Type::hypercube, DC_Type::work_stealing});
constexpr auto kPlacementNames = [] {
  Names<Placement, kPlacements.size()> names;
  std::ranges::transform(kPlacements, names.begin(), [](const PlacementTraits& of) {
    return std::pair(of.name, of.placement);
  });
  return names;
}();
constexpr Names<Bind, 3> kBinds = {
    {{"full", Bind::full}, {"cores", Bind::cores}, {"none", Bind::none}}};
constexpr Names<Inputs, 2> kInputs = {{{"same", Inputs::same}, {"new", Inputs::each_new}}};

int parse_runs(std::string_view text, int min) {
  constexpr int kMaxRuns = 1'000'000;
  return static_cast<int>(parse_count_between(text, min, kMaxRuns));
}

int parse_threads(std::string_view text) {
  constexpr int kMaxThreads = 1024;
  return static_cast<int>(parse_count_between(text, 1, kMaxThreads));
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

/// Whoever reads --help sees what to type.
std::string examples_of(const ProgramTraits& program) {
  const std::string size =
      program.sizes.empty() ? ""
                            : " --size " + as_size_option({{std::string(program.sizes.front().name),
                                                            program.sizes.front().default_count}});
  const bool has_one_size = program.sizes.size() < 2;
  const std::string& name = program.program;
  return fmt::format(
      "Examples:\n"
      "  mpiexec -n 2 {0}{1} --verify\n"
      "  mpiexec -n 4 {0} --trace {2}.trace.jsonl --json\n"
      "  mpiexec -n 2 {0} {3}--status status.json",
      name, has_one_size ? size : "", program.name,
      program.searches ? "--threads 2 " : "--repetitions 20 ");
}

/// One of `names` that `allowed` holds.
template <class Value, std::size_t n>
Value parse_allowed(const Names<Value, n>& names, const std::vector<Value>& allowed,
                    const std::string& text) {
  const Value value = parse_name(names, text);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    std::vector<std::string_view> texts;
    for (const Value one : allowed) {
      texts.push_back(name_among(names, one));
    }
    throw UsageError(
        fmt::format("'{}' is not for this application: {}", text, fmt::join(texts, ", ")));
  }
  return value;
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

NamedSizes default_sizes(const std::vector<SizeOption>& sizes) {
  NamedSizes counts;
  for (const SizeOption& size : sizes) {
    counts[std::string(size.name)] = size.default_count;
  }
  return counts;
}

}  // namespace

std::string_view name_of(Inputs inputs) { return name_among(kInputs, inputs); }

void RunOptions::run_once() {
  repetitions = repetitions_given ? repetitions : 1;
  warm_up = warm_up_given ? warm_up : 0;
}

CommandLine::CommandLine(const ProgramTraits& program)
    : program_(program),
      cli_(std::make_unique<CLI::App>(program.summary, program.program)),
      test_options_(std::make_unique<TestOptions>()) {
  cli_->footer(examples_of(program));
  options_.type = program.type;
  options_.sizes = default_sizes(program.sizes);
  if (!program.sizes.empty()) {
    add_size();
  }
  add_common();
  if (program.searches) {
    add_of_search();
  }
}

CommandLine::~CommandLine() = default;

CLI::Option* CommandLine::add_shared(const std::string& name, const std::string& default_value,
                                     const std::string& description, Parse parse) {
  return add_text(*cli_, kCommonGroup, name, default_value, description, std::move(parse));
}

void CommandLine::add_size() {
  add("--size", as_size_option(options_.sizes), "of the problem; K, M and G are 1024-based",
      [this](const std::string& text) { parse_sizes_given(text); });
}

void CommandLine::parse_sizes_given(const std::string& text) {
  NamedSizes sizes = parse_sizes(text);
  std::vector<std::string> names;
  for (const SizeOption& known : program_.sizes) {
    names.emplace_back(known.name);
  }
  for (const auto& [name, count] : sizes) {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      throw UsageError(fmt::format("'{}' is not a size of this application: {}{}", name,
                                   fmt::join(names, ", "), did_you_mean(name, names)));
    }
    const SizeOption& size = program_.sizes[known - names.begin()];
    if (count > size.max_count) {
      throw UsageError(fmt::format("'{}' is too large: at most {}={}", text, name,
                                   format_count(size.max_count)));
    }
  }
  for (const SizeOption& known : program_.sizes) {
    if (known.is_required && !sizes.contains(std::string(known.name))) {
      throw UsageError(fmt::format("{} is missing, for example --size {}", known.name,
                                   as_size_option(default_sizes(program_.sizes))));
    }
  }
  options_.sizes = std::move(sizes);
  options_.sizes_given = true;
}

void CommandLine::add_common() {
  RunOptions& o = options_;
  const bool searches = program_.searches;
  add_shared("--type", std::string(name_of(o.type)), "executor", [this](const std::string& text) {
    options_.type = parse_allowed(kTypes, program_.types, text);
  })->type_name("{sequential,hypercube,work_stealing}");
  add_shared("--placement", std::string(name_of(program_.placement)),
             "who holds the problem and gets the solution: every rank, rank 0, or every rank a "
             "part (not for "
             "every application); of work_stealing: rooted",
             [&o](const std::string& text) { o.placement = parse_name(kPlacementNames, text); })
      ->type_name(fmt::format("{{{}}}", fmt::join(kPlacementNames | std::views::keys, ",")));
  add_shared("--threads", fmt::format("{}", o.threads),
             "threads of each rank; more than one with work_stealing only",
             [&o](const std::string& text) { o.threads = parse_threads(text); });
  add_shared("--bind", "full",
             "keep each thread on a core of its own: full (where the threads on a host are as many "
             "as its cores), cores (where they are no more), none",
             [&o](const std::string& text) { o.bind = parse_name(kBinds, text); })
      ->type_name("{full,cores,none}");
  add_shared("--repetitions", fmt::format("{}", o.repetitions),
             searches ? "runs that are timed (with --checkpoint: 1)" : "runs that are timed",
             [&o](const std::string& text) {
               o.repetitions = parse_runs(text, 1);
               o.repetitions_given = true;
             });
  add_shared("--warm-up", fmt::format("{}", o.warm_up),
             searches ? "runs before them that are not (with --checkpoint: 0)"
                      : "runs before them that are not",
             [&o](const std::string& text) {
               o.warm_up = parse_runs(text, 0);
               o.warm_up_given = true;
             });
  add_shared(
      "--seed", fmt::format("{}", o.seed), "of generated input",
      [&o](const std::string& text) { o.seed = static_cast<std::uint64_t>(parse_count(text)); });
  add_shared("--inputs", std::string(name_of(o.inputs)),
             "of generated input: the same in every repetition, or a new one of the same sizes in "
             "each, in the last that of --seed",
             [&o](const std::string& text) { o.inputs = parse_name(kInputs, text); })
      ->type_name("{same,new}");
  add_shared("--trace", "", "write every block of every rank to this file (*.trace.jsonl)",
             [&o](const std::string& text) { o.trace = text; });
  add_shared("--rehearse", "",
             "P[:RANK,...]: do what these ranks of a run on P ranks would do, without messages; by "
             "default rank 0",
             [&o](const std::string& text) { o.rehearse = parse_rehearsed_ranks(text); });
  cli_->add_flag("--verify", o.verify, "check the result by an independent method")
      ->group(kCommonGroup);
  cli_->add_flag("--json", o.json, "print the result as one JSON object on one line")
      ->group(kCommonGroup);
  cli_->add_flag("--quiet", o.quiet, "print errors only: no progress, and no result but by --json")
      ->group(kCommonGroup);
  add_shared("--status", "",
             "keep in this file how far the run is and when it ends, as one JSON object",
             [&o](const std::string& text) { o.status = text; });
  cli_->add_flag("--describe", describes_,
                 "print what this program is as one line of JSON, for `cleave study`")
      ->group(kCommonGroup);
  cli_->add_option_function<std::vector<std::string>>(
          "--inject",
          [this](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              parse_option("--inject",
                           [&] { test_options_->injections.push_back(parse_injection(text)); });
            }
          })
      ->group("");
  add_text(*cli_, "", "--dilate", "", "", [this](const std::string& text) {
    test_options_->dilation = static_cast<int>(parse_count_between(text, 1, 1000));
  });
}

void CommandLine::add_of_search() {
  RunOptions& o = options_;
  add_shared("--max-nodes", "", "end a search of more nodes than this, and print what it has found",
             [&o](const std::string& text) { o.max_nodes = parse_count(text); });
  add_shared("--max-memory", "", "the same of one that needs more bytes than this on a rank",
             [&o](const std::string& text) { o.max_memory_bytes = parse_count(text); });
  add_shared("--max-time", "", "end a search after so many seconds, and print what it has found",
             [&o](const std::string& text) { o.max_s = parse_interval(text); });
  add_shared("--checkpoint", "", "write snapshots to this folder, which all ranks see",
             [&o](const std::string& text) { o.checkpoint = text; });
  add_shared("--checkpoint-every", fmt::format("{}", o.checkpoint_every_s),
             "seconds between two snapshots",
             [&o](const std::string& text) { o.checkpoint_every_s = parse_interval(text); });
  cli_->add_flag("--resume", o.resume,
                 "begin from the newest snapshot in the folder, if it has one")
      ->group(kCommonGroup);
}

/// The placement that was asked for, if the type has it; else the type's own.
void CommandLine::choose_placement() {
  RunOptions& o = options_;
  if (cli_->count("--placement") == 0) {
    o.placement = o.type == DC_Type::work_stealing ? Placement::rooted : program_.placement;
    return;
  }
  const auto is_of = [&](DC_Type type) {
    const auto& allowed = program_.placements_of(type);
    return std::find(allowed.begin(), allowed.end(), o.placement) != allowed.end();
  };
  // One rank alone holds everything; it may be asked for the form that is distributed on more.
  if (is_of(o.type) || (o.type == DC_Type::sequential && is_of(DC_Type::hypercube))) {
    return;
  }
  const auto& known = program_.placements;
  if (traits_of(o.placement).problem == Holders::parts &&
      std::find(known.begin(), known.end(), o.placement) == known.end()) {
    throw UsageError(fmt::format("--placement: {} is not for {}: its problem has no parts",
                                 name_of(o.placement), program_.program));
  }
  throw UsageError(
      fmt::format("--placement: {} is not for --type {}", name_of(o.placement), name_of(o.type)));
}

/// What no single option can tell.
void CommandLine::check_combinations() {
  RunOptions& o = options_;
  if (o.threads > 1 && o.type != DC_Type::work_stealing) {
    throw UsageError(fmt::format("--threads: {} runs one thread a rank, start more ranks instead",
                                 name_of(o.type)));
  }
  detail::check_has_standard_output("--trace", o.trace.value_or(""), o.json);
  if (std::isfinite(o.max_s) && o.type != DC_Type::work_stealing) {
    throw UsageError(fmt::format("--max-time: {} has no limit of time, take --type work_stealing",
                                 name_of(o.type)));
  }
  if (o.rehearse) {
    check_rehearsal(o);
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
  const auto only = [](const char* name, bool given, int value, int allowed) {
    if (given && value != allowed) {
      throw UsageError(fmt::format("{}: must be {} with --checkpoint, which is for one long run",
                                   name, allowed));
    }
  };
  only("--repetitions", o.repetitions_given, o.repetitions, 1);
  only("--warm-up", o.warm_up_given, o.warm_up, 0);
  o.run_once();
}

void CommandLine::add(const std::string& name, const std::string& default_value,
                      const std::string& description, Parse parse) {
  add_text(*cli_, kOwnGroup, name, default_value, description, std::move(parse));
}

void CommandLine::add_flag(const std::string& name, const std::string& description,
                           std::function<void()> set) {
  cli_->add_flag_callback(name, std::move(set), description)->group(kOwnGroup);
}

bool CommandLine::parse(int argc, char** argv, bool speaks) {
  if (!parse_command_line(*cli_, argc, argv, speaks)) {
    return false;
  }
  choose_placement();
  check_combinations();
  return true;
}

std::vector<CommandLine::OwnOption> CommandLine::own_options() const {
  std::vector<OwnOption> own;
  for (const CLI::Option* option : cli_->get_options()) {
    if (option->get_group() == kOwnGroup) {
      own.push_back(
          {.name = option->get_name(),
           .value = option->count() > 0 ? option->results().front() : option->get_default_str(),
           .description = option->get_description()});
    }
  }
  return own;
}

std::int64_t parse_count_between(std::string_view text, std::int64_t min, std::int64_t max) {
  const std::int64_t count = parse_count(text);
  if (count < min || count > max) {
    throw UsageError(
        fmt::format("'{}' is out of range: from {} to {}", text, min, format_count(max)));
  }
  return count;
}

}  // namespace cleave
