// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <utility>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program/instruments.hpp>
#include <cleave/program/parse_options.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave::detail {

namespace {

constexpr const char* kOwnGroup = "Options of this application";
constexpr const char* kCommonGroup = "Options of all applications";
constexpr int kMaxRuns = 1'000'000;

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
      "  mpiexec -n 4 {0} --trace run.trace.jsonl --json\n"
      "  mpiexec -n 2 {0} {2}--json",
      name, has_one_size ? size : "", program.searches ? "--threads 2 " : "--repetitions 20 ");
}

/// An option that takes the name of one of `values`.
template <class Value>
CLI::Option* add_named(CLI::App& cli, const char* name, Value& value, std::vector<Value> values,
                       const char* description) {
  std::vector<std::string> names;
  for (const Value one : values) {
    names.emplace_back(name_of(one));
  }
  return cli
      .add_option_function<std::string>(
          name,
          [&value, values = std::move(values), names](const std::string& text) {
            value = values[std::ranges::find(names, text) - names.begin()];
          },
          description)
      ->check(CLI::IsMember(names))
      ->default_str(std::string(name_of(value)));
}

/// An option that takes a file or folder.
void add_path(CLI::App& cli, const char* name, std::optional<std::filesystem::path>& path,
              const char* description) {
  cli.add_option_function<std::string>(
         name, [&path](const std::string& text) { path = text; }, description)
      ->check(FileName());
}

/// A count without a default that is worth showing.
void add_limit(CLI::App& cli, const char* name, std::int64_t& limit, const char* description) {
  cli.add_option(name, limit, description)->transform(Count())->default_str("");
}

NamedSizes default_sizes(const std::vector<SizeOption>& sizes) {
  NamedSizes counts;
  for (const SizeOption& size : sizes) {
    counts[std::string(size.name)] = size.default_count;
  }
  return counts;
}

/// \throws Error  if the program's own sizes are wrong
void require_sizes(const ProgramTraits& program) {
  for (const SizeOption& size : program.sizes) {
    if (!size.step.is_valid()) {
      throw Error(fmt::format("size {}: there are no {}", size.name, size.step.text()));
    }
    if (!size.step.allows(size.default_count)) {
      throw Error(fmt::format("size {}: the default {} is not one of the {}", size.name,
                              size.default_count, size.step.text()));
    }
  }
}

/// "of the problem; K, M and G are 1024-based; N: powers of 2".
std::string help_of_sizes(const std::vector<SizeOption>& sizes) {
  std::string help = "of the problem; K, M and G are 1024-based";
  for (const SizeOption& size : sizes) {
    if (!size.step.is_any()) {
      help += fmt::format("; {}: {}", size.name, size.step.text());
    }
  }
  return help;
}

/// Of --size. \throws UsageError
NamedSizes sizes_of(const ProgramTraits& program, const std::string& text) {
  NamedSizes sizes = parse_sizes(text);
  for (const auto& [name, count] : sizes) {
    const auto size = std::ranges::find(program.sizes, name, &SizeOption::name);
    if (size == program.sizes.end()) {
      std::vector<std::string_view> names;
      std::ranges::transform(program.sizes, std::back_inserter(names), &SizeOption::name);
      throw UsageError(
          fmt::format("'{}' is not a size of this application: {}", name, fmt::join(names, ", ")));
    }
    if (count > size->max_count) {
      throw UsageError(fmt::format("'{}' is too large: at most {}={}", text, name,
                                   format_count(size->max_count)));
    }
    if (!size->step.allows(count)) {
      throw UsageError(fmt::format("'{}': {} must be one of the {}, for example {}={}", text, name,
                                   size->step.text(), name,
                                   format_count(size->step.nearest(count))));
    }
  }
  for (const SizeOption& known : program.sizes) {
    if (known.is_required && !sizes.contains(std::string(known.name))) {
      throw UsageError(fmt::format("{} is missing, for example --size {}", known.name,
                                   as_size_option(default_sizes(program.sizes))));
    }
  }
  return sizes;
}

/// What is run, and how often.
void add_run(CLI::App& cli, const ProgramTraits& program, RunOptions& o) {
  const bool searches = program.searches;
  add_named(cli, "--type", o.type, program.types, "executor");
  std::vector<Placement> placements;
  std::ranges::transform(kPlacements, std::back_inserter(placements), &PlacementTraits::placement);
  add_named(cli, "--placement", o.placement, placements,
            "who holds the problem and gets the solution: every rank, rank 0, or every rank a part "
            "(not for every application); of work_stealing: rooted");
  cli.add_option("--threads", o.threads, "threads of each rank; one with sequential")
      ->transform(Count(1, StealingOptions::kMaxThreads));
  add_named(cli, "--bind", o.bind, {Bind::full, Bind::cores, Bind::none},
            "keep each thread on a core of its own: full (where the threads on a host are as many "
            "as its cores), cores (where they are no more), none");
  cli.add_option("--repetitions", o.repetitions,
                 searches ? "runs that are timed (with --checkpoint: 1)" : "runs that are timed")
      ->transform(Count(1, kMaxRuns));
  cli.add_option("--warm-up", o.warm_up,
                 searches ? "runs before them that are not (with --checkpoint: 0)"
                          : "runs before them that are not")
      ->transform(Count(0, kMaxRuns));
  cli.add_option("--seed", o.seed, "of generated input")->transform(Count());
  add_named(cli, "--inputs", o.inputs, {Inputs::same, Inputs::each_new},
            "of generated input: the same in every repetition, or a new one of the same sizes in "
            "each, in the last that of --seed");
}

void add_files(CLI::App& cli, const ProgramTraits& program, RunOptions& o) {
  for (const FileOption& file : program.files) {
    const std::string name(file.name);
    cli.add_option_function<std::string>(
           "--" + name, [&o, name](const std::string& path) { o.files[name] = path; },
           std::string(file.description))
        ->check(CLI::ExistingFile)
        ->type_name("FILE");
  }
}

/// \throws UsageError  if one that must be given is not
void require_files(const ProgramTraits& program, const RunOptions& o) {
  for (const FileOption& file : program.files) {
    if (file.is_required && !o.files.contains(std::string(file.name))) {
      throw UsageError(fmt::format("--{} is required: {}", file.name, file.description));
    }
  }
}

/// What is told of it.
void add_telling(CLI::App& cli, CommandLine& line) {
  RunOptions& o = line.options;
  add_path(cli, "--trace", o.trace, "write every block of every rank to this file (*.trace.jsonl)");
  cli.add_option_function<std::string>(
         "--rehearse", [&o](const std::string& text) { o.rehearse = parse_rehearsed_ranks(text); },
         "P[:RANK,...]: do what these ranks of a run on P ranks would do, without messages; by "
         "default rank 0. Of a search all P, with the messages of --network")
      ->check(ParsedBy([](const std::string& text) { parse_rehearsed_ranks(text); }));
  add_path(cli, "--network", o.machine,
           "the machine whose messages a rehearsed search has (cleave-calibrate writes "
           "*.machine.json)");
  cli.add_option("--ranks-per-host", o.ranks_per_host, "of a rehearsed search")
      ->transform(Count(1, kMaxRanks));
  cli.add_flag("--verify", o.verify, "check the result by an independent method");
  cli.add_flag("--json", o.json, "print the result as one JSON object on one line");
  cli.add_flag("--quiet", o.quiet, "print errors only: no progress, and no result but by --json");
  cli.add_flag("--describe", line.describes,
               "print what this program is as one line of JSON, for `cleave study`");
}

void add_of_search(CLI::App& cli, RunOptions& o) {
  const auto add_duration = [&](const char* name, double& seconds, const char* description) {
    return cli.add_option(name, seconds, description)->transform(Duration())->type_name("TIME");
  };
  add_limit(cli, "--max-nodes", o.max_nodes,
            "end a search of more nodes than this, and print what it has found");
  add_limit(cli, "--max-memory", o.max_memory_bytes,
            "the same of one that needs more bytes than this on a rank");
  add_duration("--max-time", o.max_s,
               "end a search after this time (90, 15m, 1h30m), and print what it has found")
      ->default_str("");
  add_path(cli, "--checkpoint", o.checkpoint,
           "write snapshots to this folder, which all ranks see");
  add_duration("--checkpoint-every", o.checkpoint_every_s, "time between two snapshots")
      ->default_str("60s");
  cli.add_flag("--resume", o.resume, "begin from the newest snapshot in the folder, if it has one");
}

/// The placement that was asked for, if the type has it; else the type's own.
void choose_placement(const ProgramTraits& program, bool is_given, RunOptions& o) {
  if (!is_given) {
    o.placement = o.type == DC_Type::work_stealing ? Placement::rooted : program.placement;
    return;
  }
  const auto is_of = [&](DC_Type type) {
    const auto allowed = program.placements_of(type);
    return std::ranges::find(allowed, o.placement) != allowed.end();
  };
  // One rank alone holds everything; it may be asked for the form that is distributed on more.
  if (is_of(o.type) || (o.type == DC_Type::sequential && is_of(DC_Type::hypercube))) {
    return;
  }
  if (traits_of(o.placement).problem == Holders::parts && !is_of(DC_Type::hypercube)) {
    throw UsageError(
        fmt::format("--placement: {} is not for {}: its problem has no parts, which `make_part` of "
                    "a Program makes",
                    name_of(o.placement), program.program));
  }
  throw UsageError(
      fmt::format("--placement: {} is not for --type {}", name_of(o.placement), name_of(o.type)));
}

/// What no single option can tell.
void check_combinations(const ProgramTraits& program, RunOptions& o) {
  const bool has_threads =
      o.type == DC_Type::work_stealing || (o.type == DC_Type::hypercube && program.shares_own_part);
  if (o.threads > 1 && !has_threads) {
    throw UsageError(fmt::format(
        "--threads: {} of {} runs one thread a rank, {}take --type work_stealing", name_of(o.type),
        program.program, o.type == DC_Type::hypercube ? "give the application `small` or " : ""));
  }
  check_has_standard_output("--trace", o.trace.value_or(""), o.json);
  if (o.rehearse) {
    check_rehearsal(o);
  } else if (o.machine || o.ranks_per_host) {
    throw UsageError("--network and --ranks-per-host are for a rehearsed search: add --rehearse P");
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

/// Name and value of each option in the group of the application's own.
std::vector<std::pair<std::string, std::string>> own_options(const CLI::App& cli) {
  std::vector<std::pair<std::string, std::string>> own;
  for (const CLI::Option* option : cli.get_options()) {
    if (option->get_group() == kOwnGroup) {
      const std::string name = option->get_name();
      own.emplace_back(name.substr(name.find_first_not_of('-')),
                       option->count() > 0 ? option->results().front() : option->get_default_str());
    }
  }
  return own;
}

}  // namespace

std::optional<CommandLine> parse_options(const ProgramTraits& program, int argc, char** argv,
                                         bool speaks) {
  CommandLine line;
  RunOptions& o = line.options;
  o.type = program.type;
  o.placement = program.placement;
  require_sizes(program);
  o.sizes = default_sizes(program.sizes);
  CLI::App cli(program.summary, program.program);
  cli.footer(examples_of(program));
  cli.option_defaults()->always_capture_default()->group(kOwnGroup);
  std::string size = as_size_option(o.sizes);
  if (!program.sizes.empty()) {
    cli.add_option("--size", size, help_of_sizes(program.sizes))
        ->check(ParsedBy([&](const std::string& text) { o.sizes = sizes_of(program, text); }));
  }
  cli.option_defaults()->group(kCommonGroup);
  add_run(cli, program, o);
  add_telling(cli, line);
  if (instruments != nullptr) {
    instruments->add_options(cli);
  }
  if (program.searches) {
    add_of_search(cli, o);
  }
  cli.option_defaults()->group(kOwnGroup);
  add_files(cli, program, o);
  if (program.add_options) {
    program.add_options(cli);
  }
  cli.option_defaults()->group("Options");
  if (!parse_command_line(cli, argc, argv, speaks)) {
    return std::nullopt;
  }
  if (!line.describes) {
    require_files(program, o);
  }
  o.sizes_given = !program.sizes.empty() && cli.count("--size") > 0;
  o.repetitions_given = cli.count("--repetitions") > 0;
  o.warm_up_given = cli.count("--warm-up") > 0;
  choose_placement(program, cli.count("--placement") > 0, o);
  check_combinations(program, o);
  line.own = own_options(cli);
  return line;
}

}  // namespace cleave::detail
