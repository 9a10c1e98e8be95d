// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/study.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

namespace {

constexpr const char* kOwnGroup = "Options of this application";
constexpr const char* kCommonGroup = "Options of all applications";
constexpr int kMaxRuns = 1'000'000;

template <class Value>
std::vector<std::string> names_of(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value value : values) {
    names.emplace_back(name_of(value));
  }
  return names;
}

/// An option that takes the name of one of `values`.
template <class Value>
void add_named(CLI::App& cli, const char* name, Value& value, const std::vector<Value>& values,
               const char* description) {
  const std::vector<std::string> names = names_of(values);
  cli.add_option_function<std::string>(
         name,
         [&value, values, names](const std::string& text) {
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

NamedSizes default_sizes(const ProgramTraits& program) {
  NamedSizes counts;
  for (const SizeOption& size : program.sizes) {
    counts[std::string(size.name)] = size.default_count;
  }
  return counts;
}

void scale(NamedSizes& sizes, double factor) {
  for (auto& [name, count] : sizes) {
    count = std::max<std::int64_t>(1, std::llround(static_cast<double>(count) * factor));
  }
}

/// The sizes of --size. \throws UsageError
NamedSizes sizes_of(const ProgramTraits& program, const std::string& text) {
  NamedSizes sizes = parse_sizes(text);
  for (const auto& [name, count] : sizes) {
    const auto size = std::ranges::find(program.sizes, name, &SizeOption::name);
    if (size == program.sizes.end()) {
      const auto names = program.sizes | std::views::transform(&SizeOption::name);
      throw UsageError(
          fmt::format("'{}' is not a size of this application: {}", name, fmt::join(names, ", ")));
    }
    if (count > size->max_count) {
      throw UsageError(fmt::format("'{}' is too large: at most {}={}", text, name,
                                   format_count(size->max_count)));
    }
  }
  for (const SizeOption& known : program.sizes) {
    if (known.is_required && !sizes.contains(std::string(known.name))) {
      throw UsageError(fmt::format("{} is missing, for example --size {}", known.name,
                                   format_sizes(default_sizes(program), ",")));
    }
  }
  return sizes;
}

/// The placement on the hypercube.
Placement default_placement(const ProgramTraits& program) {
  return program.makes_parts ? Placement::distributed : Placement::replicated;
}

/// Options on what is run, how often, and what is told of it.
void add_common(CLI::App& cli, const ProgramTraits& program, RunOptions& o) {
  add_named(cli, "--type", o.type, program.types(), "executor");
  add_named(cli, "--placement", o.placement,
            {Placement::replicated, Placement::rooted, Placement::distributed},
            "who holds the problem and gets the solution: every rank, rank 0, or every rank a part "
            "(not for every application); of work_stealing: rooted");
  cli.add_option("--threads", o.threads, "threads of each rank; one with sequential")
      ->transform(Count(1, StealingOptions::kMaxThreads));
  cli.add_option("--repetitions", o.repetitions, "runs that are timed")
      ->transform(Count(1, kMaxRuns));
  cli.add_option("--warm-up", o.warm_up, "runs before them that are not")
      ->transform(Count(0, kMaxRuns));
  cli.add_option("--seed", o.seed, "of generated input")->transform(Count());
  add_named(cli, "--inputs", o.inputs, {Inputs::same, Inputs::each_new},
            "of generated input: the same in every repetition, or a new one of the same sizes in "
            "each, in the last that of --seed");
  add_path(cli, "--trace", o.trace, "write every block of every rank to this file (*.trace.jsonl)");
  cli.add_option_function<int>(
         "--rehearse",
         [&o](int ranks) {
           o.rehearse = true;
           o.ranks = ranks;
         },
         "P: do what ranks of a run on P ranks would do, each process one of them, without "
         "messages. Of a search all P, with the messages of --network")
      ->transform(Count(1, kMaxRanks));
  add_path(cli, "--network", o.machine,
           "the machine whose messages a rehearsed search has (cleave-calibrate writes "
           "*.machine.json)");
  cli.add_option("--ranks-per-host", o.ranks_per_host, "of a rehearsed search")
      ->transform(Count(1, kMaxRanks));
  cli.add_flag("--verify", o.verify, "check the result by an independent method");
  cli.add_flag("--json", o.json, "print the result as one JSON object on one line");
  cli.add_flag("--quiet", o.quiet, "print errors only: no progress, and no result but by --json");
  cli.add_option("--check", o.check,
                 "N: try N schedules on 1 to 64 virtual ranks, of small sizes without --size")
      ->transform(Count(1, kMaxRuns))
      ->default_str("")
      ->excludes("--rehearse", "--trace", "--json");
  cli.add_flag("--describe")->group("");  // for `cleave study`
}

void add_of_search(CLI::App& cli, RunOptions& o) {
  cli.add_option("--max-nodes", o.max_nodes,
                 "end a search of more nodes than this, and print what it has found")
      ->transform(Count())
      ->default_str("");
  cli.add_option("--max-time", o.max_s,
                 "end a search after this time (90, 15m, 1.5h), and print what it has found")
      ->transform(Duration())
      ->type_name("TIME")
      ->default_str("");
  add_path(cli, "--checkpoint", o.checkpoint,
           "write snapshots to this folder, which all ranks see");
  cli.add_option("--checkpoint-every", o.checkpoint_every_s, "time between two snapshots")
      ->transform(Duration())
      ->type_name("TIME")
      ->default_str("60s");
  cli.add_flag("--resume", o.resume, "begin from the newest snapshot in the folder, if it has one");
}

/// Throws the first sentence that applies. \throws UsageError
void check_combinations(const ProgramTraits& program, bool has_placement, RunOptions& o) {
  const auto type = name_of(o.type);
  const auto placement = name_of(o.placement);
  const bool is_alone = o.type == DC_Type::sequential;  // and may be asked for any placement
  const bool has_threads =
      o.type == DC_Type::work_stealing || (o.type == DC_Type::hypercube && program.shares_own_part);
  refuse_first(
      {{has_placement && o.placement == Placement::distributed && !program.makes_parts,
        fmt::format("--placement: {} is not for {}: its problem has no parts, which "
                    "`make_part` of a Program makes",
                    placement, program.program)},
       {has_placement && !is_alone && !program.allows(o.type, o.placement),
        fmt::format("--placement: {} is not for --type {}", placement, type)},
       {o.threads > 1 && !has_threads,
        fmt::format("--threads: {} of {} runs one thread a rank, {}take --type "
                    "work_stealing",
                    type, program.program, is_alone ? "" : "give the application `small` or ")},
       {(!o.rehearse || o.type != DC_Type::work_stealing) && (o.machine || o.ranks_per_host),
        "--network and --ranks-per-host are for a rehearsed search: add --rehearse P"},
       {!o.checkpoint && o.resume, "--resume: say which folder by --checkpoint"},
       {o.checkpoint && o.type != DC_Type::work_stealing,
        fmt::format("--checkpoint: {} writes no snapshots", type)},
       {o.checkpoint &&
            ((o.repetitions_given && o.repetitions > 1) || (o.warm_up_given && o.warm_up > 0)),
        "--checkpoint: is for one long run: leave out --repetitions and --warm-up"}});
  check_has_standard_output("--trace", o.trace.value_or(""), o.json);
  if (o.rehearse) {
    check_rehearsal(o);
  }
  if (!has_placement) {
    o.placement = o.type == DC_Type::work_stealing ? Placement::rooted : default_placement(program);
  }
  if (o.checkpoint) {
    o.run_once();
  }
}

}  // namespace

std::vector<DC_Type> ProgramTraits::types() const {
  return on_hypercube ? std::vector{DC_Type::sequential, DC_Type::hypercube, DC_Type::work_stealing}
                      : std::vector{DC_Type::sequential, DC_Type::work_stealing};
}

bool ProgramTraits::allows(DC_Type type, Placement placement) const {
  const bool is_parts = placement == Placement::distributed;
  return type == DC_Type::hypercube ? (is_parts ? makes_parts : on_hypercube) : !is_parts;
}

std::optional<CommandLine> parse_options(const ProgramTraits& program, int ranks, int argc,
                                         char** argv, bool speaks) {
  CommandLine line;
  RunOptions& o = line.options;
  o.ranks = ranks;
  o.type = program.searches || !program.on_hypercube ? DC_Type::work_stealing : DC_Type::hypercube;
  o.placement = default_placement(program);
  o.sizes = default_sizes(program);
  CLI::App cli(program.summary, program.program);
  cli.footer(fmt::format("Examples:\n  mpiexec -n 2 {} --verify --trace run.trace.jsonl",
                         program.program));
  cli.option_defaults()->always_capture_default()->group(kOwnGroup);
  std::string size = format_sizes(o.sizes, ",");
  if (!program.sizes.empty()) {
    cli.add_option("--size", size, "of the problem; K, M and G are 1024-based")->join(',');
  }
  cli.option_defaults()->group(kCommonGroup);
  add_common(cli, program, o);
  if (instruments.add_options) {
    instruments.add_options(cli);
  }
  if (program.searches) {
    add_of_search(cli, o);
  }
  cli.option_defaults()->group(kOwnGroup);
  if (program.add_options) {
    program.add_options(cli);
  }
  cli.option_defaults()->group("Options");
  if (!parse_command_line(cli, argc, argv, speaks)) {
    return std::nullopt;
  }
  o.sizes_given = !program.sizes.empty() && cli.count("--size") > 0;
  if (o.sizes_given) {
    try {
      o.sizes = sizes_of(program, size);
    } catch (const UsageError& refusal) {
      throw UsageError(std::string("--size: ") + refusal.what());
    }
  } else if (o.check > 0 && !o.sizes.empty()) {
    o.sizes = parse_sizes(default_study(program, true).sizes.front());
    const double most = program.searches ? 64 : 256;
    const auto largest = static_cast<double>(std::ranges::max(std::views::values(o.sizes)));
    scale(o.sizes, most / std::max(most, largest));
  }
  o.repetitions_given = cli.count("--repetitions") > 0;
  o.warm_up_given = cli.count("--warm-up") > 0;
  check_combinations(program, cli.count("--placement") > 0, o);
  for (const CLI::Option* option : cli.get_options()) {
    if (option->get_group() == kOwnGroup) {
      const std::string name = option->get_name();
      line.own[name.substr(name.find_first_not_of('-'))] =
          option->count() > 0 ? option->as<std::string>() : option->get_default_str();
    }
  }
  if (program.check_options) {
    program.check_options(o);
  }
  return line;
}

Study default_study(const ProgramTraits& program, bool is_quick) {
  Study study;
  for (int step = program.searches ? 5 : 10; !program.sizes.empty() && step >= 0; --step) {
    const double factor = std::pow(0.75, step) / (is_quick ? 8 : 1);
    NamedSizes sizes = default_sizes(program);
    std::int64_t& first = sizes[std::string(program.sizes.front().name)];
    if (program.searches || first < 64) {  // a depth or a number of dimensions
      first = std::max<std::int64_t>(1, first - step - (is_quick ? 1 : 0));
    } else {
      scale(sizes, factor);
    }
    const std::string text = format_sizes(sizes, ",");
    if (study.sizes.empty() || study.sizes.back() != text) {
      study.sizes.push_back(text);
    }
  }
  return study;
}

ProgramDescription description_of(const ProgramTraits& program, const RunOptions& options) {
  const auto study = [&](bool is_quick) {
    return program.study ? program.study(options, is_quick) : default_study(program, is_quick);
  };
  return {.name = program.name,
          .summary = program.summary,
          .types = names_of(program.types()),
          .type = std::string(name_of(options.type)),
          .placement = std::string(name_of(options.placement)),
          .default_size = format_sizes(default_sizes(program), ","),
          .study = study(false),
          .quick_study = study(true)};
}

}  // namespace cleave::detail
