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

#include <cleave/comm.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/command_line/progress.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/file.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

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

/// \throws UsageError
void check_like(const CalibrateOptions& options, int ranks) {
  if (options.like.empty() != options.size.empty()) {
    throw UsageError(
        "--like and --size go together, for example --like sort.model.json --size N=1G");
  }
  if (!options.like.empty() && options.out.empty()) {
    throw UsageError("--like needs --out, for example --out messages.trace.jsonl");
  }
  if (!options.like.empty() && !options.ranks.empty() && options.ranks != std::vector{ranks}) {
    throw UsageError(fmt::format("--ranks: with --like all that were started, {}", ranks));
  }
}

std::optional<CalibrateOptions> options_from(int argc, char** argv, const Comm& world) {
  CalibrateOptions options;
  CLI::App cli(
      "Measures latency and gap of MPI_Alltoallv and of DC_Call's exchange, under full load",
      kName);
  cli.add_option("--out", options.out, "Machine file to write, e.g. here.machine.json");
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
  cli.add_option("--like", options.like,
                 "Measure all messages of a call into the trace --out, as this model "
                 "(*.model.json) says of it, for cleave predict --messages");
  cli.add_option("--size", options.size, "With --like: the size of the call, e.g. N=1G");
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

/// The call of the model in --like, as JSON: rank 0 reads it, every rank gets it.
nlohmann::json call_of_model(const CalibrateOptions& options, const Comm& world) {
  return nlohmann::json::parse(world.bcast(
      agree(world,
            [&]() -> std::string {
              if (world.rank() != 0) {
                return "";
              }
              const models::Model model = models::read_model(options.like);
              if (model.hypercube() == nullptr) {
                throw UsageError(
                    "--like: only calls on the hypercube have messages of known lengths; a search "
                    "is rehearsed with its network");
              }
              // Only lengths are asked for.
              const models::Network network =
                  models::with_machine(model.network, models::preset_machine("ethernet-10g"));
              const models::Prediction call = models::predict(
                  model, world.size(), parse_sizes(options.size), {.network = network});
              const nlohmann::json object = {
                  {"app", model.app},
                  {"placement", model.placement},
                  {"way", static_cast<int>(model.hypercube()->way)},
                  {"key_bytes", static_cast<int>(model.hypercube()->exchange->splitter_bytes)},
                  {"bytes", call.message_bytes},
                  {"sizes", call.sizes}};
              return object.dump();
            }),
      0));
}

/// The times of the messages that the trace --out has.
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
  const nlohmann::json call = call_of_model(options, world);
  CallMessages messages{.way = static_cast<Way>(call.at("way").get<int>()),
                        .key_bytes = call.at("key_bytes")};
  for (const double bytes : call.at("bytes")) {
    messages.bytes.push_back(std::max<std::int64_t>(1, std::llround(bytes)));
  }
  const NamedSizes sizes = call.at("sizes");
  keep_freed_memory();
  Recorder recorder(mpi_time_ns);
  make_calls(world, messages, sizes, options.seconds, recorder);
  const RunInformation run{.app = models::app_of_messages(call.at("app")),
                           .type = std::string(name_of(DC_Type::hypercube)),
                           .placement = call.at("placement"),
                           .repetitions = static_cast<int>(std::ssize(recorder.repetitions())),
                           .provenance = mpi_provenance(kName, command_line)};
  write_trace(world, options.out, run, recorder);
  agree(world, [&] {
    // A device or a pipe cannot be read back.
    if (world.rank() == 0 && !options.quiet && std::filesystem::is_regular_file(options.out)) {
      write_out(text_of_messages(options, sizes, call.at("app")));
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
    {
      const std::lock_guard guard(mutex);
      moment = {.fraction = static_cast<double>(i) / count, .step = patterns[i].name()};
    }
    std::vector<std::int64_t> message_bytes = default_message_bytes(patterns[i].kind);
    std::erase_if(message_bytes, [&](std::int64_t bytes) { return bytes > options.largest_bytes; });
    Communication entry =
        measure(world, patterns[i],
                {.message_bytes = std::move(message_bytes), .seconds = options.seconds / count});
    (patterns[i].kind == Pattern::Kind::alltoallv ? machine.alltoallv : machine.exchange)
        .push_back(std::move(entry));
  }
}

std::string known(double seconds) { return seconds < 0 ? "" : format_seconds(seconds); }

/// l and g of each piece, in lines of at most 80 columns. A number below 0 is left out: the line of
/// a piece need not hold at 0 bytes.
std::string text_of(const Machine& machine) {
  const auto row = [](auto... cells) {
    return fmt::format("{:<10} {:>5} {:>5} {:<8} {:>12} {:>10} {:>12} {:>10}\n", cells...);
  };
  std::string text =
      row("pattern", "ranks", "level", "hosts", "from, bytes", "l", "g of a byte", "of a word");
  for (const auto* const entries : {&machine.alltoallv, &machine.exchange}) {
    for (const Communication& c : *entries) {
      for (const MessageSegment& s : c.segments) {
        text += row(entries == &machine.exchange ? "exchange" : "alltoallv", c.ranks, c.level,
                    c.between_hosts ? "between" : "inside", fmt::format("{:.0f}", s.from_bytes),
                    known(s.latency_s), known(s.gap_s_per_byte),
                    known(kBytesPerWord * s.gap_s_per_byte));
      }
      const auto unstable =
          std::ranges::count_if(c.samples, [](const auto& sample) { return !sample.stable; });
      if (unstable > 0) {
        text += fmt::format("  medians are not known to 2 % at {} of {} sizes\n", unstable,
                            c.samples.size());
      }
      text += c.oversubscribed ? "  oversubscribed, left out of fits\n" : "";
    }
  }
  return text;
}

void calibrate_machine(const CalibrateOptions& options, const Comm& world,
                       const std::string& command_line) {
  // A file that cannot be written is refused now, not after the measurement.
  const bool writes = world.rank() == 0 && !options.out.empty();
  agree(world, [&] {
    if (writes) {
      check_writable(options.out);
    }
  });
  Machine machine{.provenance = mpi_provenance(kName, command_line)};
  machine.name = machine.provenance.host;
  measure_all(patterns_of(options), options, world, machine);
  agree(world, [&] {
    if (writes) {
      write_machine(options.out, machine);
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
