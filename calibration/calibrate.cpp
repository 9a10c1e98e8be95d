// SPDX-License-Identifier: Apache-2.0
// cleave-calibrate: measures the latency l and the gap g of the machine that it runs on, or all
// messages of one call there.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
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
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

#include "calibration/message_benchmarks.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"

namespace {

using namespace cleave;
using namespace cleave::calibration;
using namespace cleave::detail;

constexpr const char* kName = "cleave-calibrate";

constexpr std::int64_t kMinLargest = 4096;  // messages of fewer bytes determine no gap
constexpr std::int64_t kMaxLargest = std::int64_t{64} << 20;

struct CalibrateOptions {
  std::string out;
  std::int64_t largest_bytes = kMaxLargest;
  double seconds = 30;
  std::string like;
  std::string size;
};

/// Powers of two up to the number of ranks, and that number itself.
std::vector<int> ranks_to_measure(int ranks) {
  std::vector<int> counts;
  for (int count = 2; count < ranks; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(ranks);
  return counts;
}

/// \throws UsageError
void check_like(const CalibrateOptions& options) {
  if (options.like.empty() != options.size.empty()) {
    throw UsageError(
        "--like and --size go together, for example --like sort.model.json --size N=1G");
  }
  if (!options.like.empty() && options.out.empty()) {
    throw UsageError("--like needs --out, for example --out messages.trace.jsonl");
  }
}

std::optional<CalibrateOptions> options_from(int argc, char** argv, const Comm& world) {
  CalibrateOptions options;
  CLI::App cli("Measures latency and gap of DC_Call's exchange, under full load", kName);
  cli.add_option("--out", options.out, "Machine file to write, e.g. here.machine.json");
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
                 "(*.model.json) says of it, for cleave fit");
  cli.add_option("--size", options.size, "With --like: the size of the call, e.g. N=1G")->join(',');
  cli.footer(
      "Examples:\n"
      "  mpiexec -n 2 cleave-calibrate --out here.machine.json\n"
      "  mpiexec -n 64 cleave-calibrate --like sort.model.json --size N=1G \\\n"
      "    --out messages.trace.jsonl\n"
      "  mpiexec -hosts A,B -n 2 cleave-calibrate --seconds 60 --out -");
  if (!parse_command_line(cli, argc, argv, world.rank() == 0)) {
    return std::nullopt;
  }
  check_like(options);
  if (world.size() < 2) {
    throw UsageError("1 rank sends no messages: run it under mpiexec -n 2 or more");
  }
  return options;
}

/// The call of the model in --like.
struct ModelCall {
  std::string app;
  std::string placement;
  int way = 0;
  int key_bytes = 0;
  std::vector<double> bytes;
  NamedSizes sizes;
};

void fields(JsonFields& object, ModelCall& call) {
  object("app", call.app)("placement", call.placement)("way", call.way);
  object("key_bytes", call.key_bytes)("bytes", call.bytes)("sizes", call.sizes);
}

/// Rank 0 reads it, every rank gets it.
ModelCall call_of_model(const CalibrateOptions& options, const Comm& world) {
  const std::string text = agree(world, [&]() -> std::string {
    if (world.rank() != 0) {
      return "";
    }
    const models::Model model = models::read_model(options.like);
    if (model.hypercube() == nullptr) {
      throw UsageError(
          "--like: only calls on the hypercube have messages of known lengths; a search is "
          "rehearsed with its network");
    }
    const models::Prediction call = models::predict(model, world.size(), parse_sizes(options.size));
    return json_text(ModelCall{model.app, model.placement, static_cast<int>(model.hypercube()->way),
                               static_cast<int>(model.hypercube()->exchange->splitter_bytes),
                               call.message_bytes, call.sizes});
  });
  ModelCall call;
  JsonFields object = JsonFields::parse(options.like, "", world.bcast(text, 0));
  fields(object, call);
  return call;
}

/// The times of the messages that the trace --out has.
std::string text_of_messages(const CalibrateOptions& options, const NamedSizes& sizes,
                             const std::string& app) {
  const Trace trace = read_trace(options.out);
  const double seconds =
      models::measured_messages({.app = app, .placement = trace.run.placement}, trace)
          .seconds.median;
  return fmt::format("messages of {}, {} on {}: {}\n", app, format_sizes(sizes),
                     format_ranks(trace.run.ranks), format_seconds(seconds));
}

/// Makes calls as the model says, writes their trace, and says what their messages took.
void calibrate_like(const CalibrateOptions& options, const Comm& world,
                    const std::string& command_line) {
  const ModelCall call = call_of_model(options, world);
  CallMessages messages{.way = static_cast<Way>(call.way), .key_bytes = call.key_bytes};
  for (const double bytes : call.bytes) {
    messages.bytes.push_back(std::max<std::int64_t>(1, std::llround(bytes)));
  }
  keep_freed_memory();
  Recorder recorder(mpi_time_ns);
  make_calls(world, messages, call.sizes, options.seconds, recorder);
  const RunInformation run{.app = models::app_of_messages(call.app),
                           .type = std::string(name_of(DC_Type::hypercube)),
                           .placement = call.placement,
                           .repetitions = static_cast<int>(std::ssize(recorder.repetitions())),
                           .provenance = mpi_provenance(kName, command_line)};
  write_trace(world, options.out, run, recorder);
  agree(world, [&] {
    // A device or a pipe cannot be read back.
    if (world.rank() == 0 && std::filesystem::is_regular_file(options.out)) {
      write_out(text_of_messages(options, call.sizes, call.app));
    }
  });
}

/// The exchanges of each number of ranks, each in an equal part of the time. Collective.
std::vector<Communication> measure_all(const CalibrateOptions& options, const Comm& world) {
  std::vector<Pattern> patterns;
  for (const int ranks : ranks_to_measure(world.size())) {
    std::ranges::copy(patterns_for(ranks), std::back_inserter(patterns));
  }
  std::vector<std::int64_t> message_bytes;
  for (std::int64_t bytes = 8; bytes <= std::min(options.largest_bytes, kMaxLargest); bytes *= 2) {
    message_bytes.push_back(bytes);
  }
  std::atomic<std::size_t> done = 0;
  const auto count = static_cast<double>(patterns.size());
  std::optional<Progress> progress;
  if (world.rank() == 0) {
    progress.emplace(kName, [&] {
      const Pattern& pattern = patterns[std::min(done.load(), patterns.size() - 1)];
      return Moment{.fraction = static_cast<double>(done) / count,
                    .step = fmt::format("{} ranks, level {}", pattern.ranks, pattern.level)};
    });
  }
  std::vector<Communication> entries;
  for (const Pattern& pattern : patterns) {
    entries.push_back(measure(
        world, pattern, {.message_bytes = message_bytes, .seconds = options.seconds / count}));
    ++done;
  }
  return entries;
}

/// l and g of the line through all lengths, in lines of at most 80 columns.
std::string text_of(const Machine& machine) {
  const auto row = [](auto... cells) {
    return fmt::format("{:>5} {:>5} {:<8} {:>12} {:>12} {:>12}\n", cells...);
  };
  std::string text = row("ranks", "level", "hosts", "l", "g of a byte", "of a word");
  for (const Communication& c : machine.exchange) {
    text +=
        row(c.ranks, c.level, c.between_hosts ? "between" : "inside", format_seconds(c.latency_s),
            format_seconds(c.gap_s_per_byte), format_seconds(kBytesPerWord * c.gap_s_per_byte));
    const auto unstable =
        std::ranges::count_if(c.samples, [](const auto& sample) { return !sample.stable; });
    if (unstable > 0) {
      text += fmt::format("  medians are not known to 2 % at {} of {} sizes\n", unstable,
                          c.samples.size());
    }
    text += c.oversubscribed ? "  oversubscribed, left out of fits\n" : "";
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
  Machine machine{.exchange = measure_all(options, world),
                  .provenance = mpi_provenance(kName, command_line)};
  machine.name = machine.provenance.host;
  agree(world, [&] {
    if (writes) {
      write_machine(options.out, machine);
    }
    if (world.rank() == 0 && !is_standard_output(options.out)) {
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
