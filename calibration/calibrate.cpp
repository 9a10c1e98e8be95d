// SPDX-License-Identifier: Apache-2.0
// cleave-calibrate: measures the latency l and the gap g of the machine that it runs on, or all
// messages of one call there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/command_line/progress.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/file.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

#include "calibration/call_benchmark.hpp"
#include "calibration/machine_text.hpp"
#include "calibration/message_benchmarks.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/rehearsed.hpp"

namespace {

using namespace cleave;
using namespace cleave::calibration;
using namespace cleave::detail;

constexpr const char* kName = "cleave-calibrate";

struct CalibrateOptions {
  std::string out;
  std::string name;
  std::vector<int> ranks;
  std::string patterns = "all";
  std::int64_t largest_bytes = std::int64_t{64} << 20;
  double seconds = 30;
  std::string like;
  std::string size;
  bool json = false;
  bool quiet = false;
};

/// Messages of fewer bytes determine no gap.
constexpr std::int64_t kMinLargest = 4096;

/// Powers of two up to the number of ranks, and that number itself.
std::vector<int> default_ranks(int ranks) {
  std::vector<int> counts;
  for (int count = 2; count < ranks; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(ranks);
  return counts;
}

bool is_trace(const std::string& file) { return file.ends_with(".trace.jsonl"); }

/// \throws UsageError
void check_like(const CalibrateOptions& options, int ranks) {
  if (options.like.empty()) {
    if (!options.size.empty()) {
      throw UsageError("--size goes with --like, for example --like sort.model.json --size N=1G");
    }
    return;
  }
  if (is_trace(options.like) && !options.size.empty()) {
    throw UsageError(fmt::format("--size: {} has sizes of its own", options.like));
  }
  if ((options.size.empty() && !is_trace(options.like)) || options.out.empty()) {
    throw UsageError(
        "--like needs --size and --out, for example --size N=1G --out messages.trace.jsonl");
  }
  if (options.ranks != std::vector{ranks} && !options.ranks.empty()) {
    throw UsageError(fmt::format("--ranks: with --like all that were started, {}", ranks));
  }
}

std::optional<CalibrateOptions> options_from(int argc, char** argv, const Comm& world) {
  CalibrateOptions options;
  CLI::App cli(
      "Measures latency and gap of MPI_Alltoallv and of DC_Call's exchange, under full load",
      kName);
  cli.add_option("--out", options.out, "Machine file to write, e.g. here.machine.json");
  cli.add_option("--name", options.name, "Name of the machine [its host name]");
  cli.add_option("--ranks", options.ranks, "Numbers of ranks to measure [2, 4, 8, ... and all]")
      ->delimiter(',');
  cli.add_option("--patterns", options.patterns,
                 "What to measure; with many ranks MPI_Alltoallv takes long")
      ->check(CLI::IsMember({"all", "alltoallv", "exchange"}))
      ->capture_default_str();
  cli.add_option("--largest", options.largest_bytes,
                 "The longest message to measure, in bytes (K, M: 1024-based); every rank needs "
                 "twice as much memory, and 64 MiB")
      ->transform(Count(kMinLargest))
      ->default_str("64M");
  cli.add_option("--seconds", options.seconds, "Time to spend at most, e.g. 30 or 5m")
      ->transform(Duration(0.1, 3600))
      ->type_name("TIME")
      ->capture_default_str();
  cli.add_option(
      "--like", options.like,
      "Measure all messages of a call into the trace --out, for cleave predict --messages: "
      "as this model (*.model.json) says of it, or as this trace (*.trace.jsonl) of a run or a "
      "rehearsal on as many ranks has them");
  cli.add_option("--size", options.size, "With a model: the size of the call, e.g. N=1G");
  cli.add_flag("--json", options.json,
               "Print what the machine file says as one JSON object on one line instead");
  cli.add_flag("--quiet", options.quiet, "Print errors only");
  cli.footer(
      "Examples:\n"
      "  mpiexec -n 2 cleave-calibrate --out here.machine.json\n"
      "  mpiexec -n 8 cleave-calibrate --patterns exchange --out here.machine.json\n"
      "  mpiexec -n 64 cleave-calibrate --like sort.model.json --size N=1G \\\n"
      "    --out messages.trace.jsonl\n"
      "  mpiexec -hosts A,B -n 2 cleave-calibrate --seconds 60 --json");
  if (!parse_command_line(cli, argc, argv, world.rank() == 0)) {
    return std::nullopt;
  }
  check_has_standard_output("--out", options.out, options.json);
  check_like(options, world.size());
  if (world.size() < 2) {
    throw UsageError("1 rank sends no messages: run it under mpiexec -n 2 or more");
  }
  if (options.ranks.empty()) {
    options.ranks = default_ranks(world.size());
  }
  for (const int ranks : options.ranks) {
    if (ranks < 2 || ranks > world.size()) {
      throw UsageError(fmt::format("--ranks: {} is not from 2 to the {} ranks that were started",
                                   ranks, world.size()));
    }
  }
  return options;
}

/// The call whose messages are to be measured.
nlohmann::json told(const std::string& app, const std::string& placement, const NamedSizes& sizes,
                    const CallMessages& messages) {
  return {{"app", app},
          {"placement", placement},
          {"way", static_cast<int>(messages.way)},
          {"key_bytes", messages.key_bytes},
          {"bytes", messages.bytes},
          {"sizes", sizes}};
}

nlohmann::json told_by_model(const CalibrateOptions& options, int ranks) {
  const models::Model model = models::read_model(options.like);
  if (model.hypercube() == nullptr) {
    throw UsageError(
        "--like: only calls on the hypercube have messages of known lengths; a search is rehearsed "
        "with its network");
  }
  // Only lengths are asked for.
  const models::Network network =
      models::with_machine(model.network, models::preset_machine("ethernet-10g"));
  const NamedSizes sizes = parse_sizes(options.size);
  const models::Prediction prediction = models::predict(model, ranks, sizes, {.network = network});
  return told(model.app, model.placement, prediction.sizes,
              {.way = model.hypercube()->way,
               .bytes = {prediction.message_bytes.begin(), prediction.message_bytes.end()},
               .key_bytes = static_cast<int>(model.hypercube()->exchange->splitter_bytes)});
}

nlohmann::json told_by_trace(const std::string& file, int ranks) {
  const Trace trace = read_trace(file);
  if (trace.run.ranks != ranks || trace.run.type != name_of(DC_Type::hypercube)) {
    throw UsageError(
        fmt::format("--like: {} is of {} on {}, not of hypercube on the {} that were "
                    "started",
                    file, trace.run.type, format_ranks(trace.run.ranks), ranks));
  }
  return told(trace.run.app, trace.run.placement, trace.repetitions.back().sizes,
              messages_of(trace));
}

/// What rank 0 reads in the model or trace, as JSON, on every rank.
std::string told_of(const CalibrateOptions& options, const Comm& world) {
  return world.bcast(agree(world,
                           [&]() -> std::string {
                             if (world.rank() != 0) {
                               return "";
                             }
                             return (is_trace(options.like)
                                         ? told_by_trace(options.like, world.size())
                                         : told_by_model(options, world.size()))
                                 .dump();
                           }),
                     0);
}

/// What the messages took that the trace --out has.
std::string text_of_messages(const CalibrateOptions& options, const NamedSizes& sizes,
                             const std::string& app) {
  const Trace trace = read_trace(options.out);
  const double seconds =
      models::measured_messages({.app = app, .placement = trace.run.placement}, trace)
          .seconds.median;
  if (options.json) {
    const nlohmann::json object = {
        {"app", app}, {"ranks", trace.run.ranks}, {"sizes", sizes}, {"seconds", seconds}};
    return object.dump() + "\n";
  }
  return fmt::format("messages of {}, {} on {}: {}\n", app, format_sizes(sizes),
                     format_ranks(trace.run.ranks), format_seconds(seconds));
}

/// Makes calls as the model says, writes their trace, and says what their messages took.
void calibrate_like(const CalibrateOptions& options, const Comm& world,
                    const std::string& command_line) {
  const nlohmann::json told = nlohmann::json::parse(told_of(options, world));
  CallMessages messages{.way = static_cast<Way>(told.at("way").get<int>()),
                        .key_bytes = told.at("key_bytes")};
  for (const double bytes : told.at("bytes")) {
    messages.bytes.push_back(std::max<std::int64_t>(1, std::llround(bytes)));
  }
  const NamedSizes sizes = told.at("sizes");
  keep_freed_memory();
  Recorder recorder(mpi_time_ns);
  make_calls(world, messages, sizes, options.seconds, recorder);
  const RunInformation run{.app = models::app_of_messages(told.at("app")),
                           .type = std::string(name_of(DC_Type::hypercube)),
                           .placement = told.at("placement"),
                           .repetitions = static_cast<int>(std::ssize(recorder.repetitions())),
                           .provenance = mpi_provenance(kName, command_line)};
  write_trace(world, options.out, run, recorder);
  agree(world, [&] {
    // A device or a pipe cannot be read back.
    if (world.rank() == 0 && !options.quiet && std::filesystem::is_regular_file(options.out)) {
      write_out(text_of_messages(options, sizes, told.at("app")));
    }
  });
}

std::vector<Pattern> patterns_of(const CalibrateOptions& options) {
  std::vector<Pattern> patterns;
  for (const int ranks : options.ranks) {
    for (const Pattern& pattern : patterns_for(ranks)) {
      const bool is_exchange = pattern.kind == Pattern::Kind::exchange;
      if (options.patterns == "all" || (options.patterns == "exchange") == is_exchange) {
        patterns.push_back(pattern);
      }
    }
  }
  return patterns;
}

/// Each of `patterns` in an equal part of the time. Collective.
void measure_all(const std::vector<Pattern>& patterns, const CalibrateOptions& options,
                 const Comm& world, Machine& machine) {
  std::mutex mutex;  // of `moment`, at which the progress looks
  Moment moment;
  std::optional<Progress> progress;
  if (world.rank() == 0 && !options.quiet) {
    progress.emplace(kName, [&] {
      const std::lock_guard guard(mutex);
      return moment;
    });
  }
  const auto count = static_cast<double>(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto at = [&](double fraction) {
      const std::lock_guard guard(mutex);
      moment = {.fraction = (static_cast<double>(i) + fraction) / count,
                .step = patterns[i].name()};
    };
    at(0);
    std::vector<std::int64_t> message_bytes = default_message_bytes(patterns[i].kind);
    std::erase_if(message_bytes, [&](std::int64_t bytes) { return bytes > options.largest_bytes; });
    Communication entry = measure(world, patterns[i],
                                  {.message_bytes = std::move(message_bytes),
                                   .seconds = options.seconds / count,
                                   .progress = at});
    (patterns[i].kind == Pattern::Kind::alltoallv ? machine.alltoallv : machine.exchange)
        .push_back(std::move(entry));
  }
}

void calibrate_machine(const CalibrateOptions& options, const Comm& world,
                       const std::string& command_line) {
  // A file that cannot be written is refused now, not after the measurement.
  std::optional<AtomicFile> out;
  agree(world, [&] {
    if (world.rank() == 0 && !options.out.empty()) {
      out.emplace(options.out);
    }
  });
  Machine machine{.provenance = mpi_provenance(kName, command_line)};
  machine.name = options.name.empty() ? machine.provenance.host : options.name;
  measure_all(patterns_of(options), options, world, machine);
  agree(world, [&] {
    if (out) {
      out->write(to_text(machine));
      out->commit();
    }
    if (world.rank() == 0 && options.json) {
      write_out(nlohmann::ordered_json::parse(to_text(machine)).dump() + "\n");
    } else if (world.rank() == 0 && !options.quiet && !is_standard_output(options.out)) {
      write_out(text_of(machine));
    }
  });
}

void calibrate(int argc, char** argv, const Comm& world) {
  const auto options = options_from(argc, argv, world);
  if (!options) {
    return;
  }
  const std::string command_line = command_line_of(argc, argv);
  if (options->like.empty()) {
    calibrate_machine(*options, world, command_line);
  } else {
    calibrate_like(*options, world, command_line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_mpi_program(argc, argv, kName,
                         [&](const Comm& world) { calibrate(argc, argv, world); });
}
