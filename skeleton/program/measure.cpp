// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <fstream>
#include <limits>

#include <cleave/comm.hpp>
#include <cleave/host/host.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/trace/words.hpp>

namespace cleave {

std::int64_t available_memory() {
  constexpr std::int64_t kKibibyte = 1024;
  std::int64_t kibibytes = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name >> kibibytes && name != "MemAvailable:";) {
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::min(file ? kibibytes * kKibibyte : detail::kNoMemoryLimit, detail::memory_left());
}

void require_memory(std::int64_t bytes, int ranks) {
  constexpr double kGibibyte = 1 << 30;
  constexpr std::int64_t kAlwaysThere = 1 << 24;  // looking would take longer than to solve it
  const std::int64_t available = bytes > kAlwaysThere ? available_memory() : bytes * ranks;
  if (bytes > available / ranks) {
    throw Error(
        fmt::format("not enough memory: {} of {:.1f} GiB each on one host, which has {:.1f} GiB",
                    detail::format_ranks(ranks), static_cast<double>(bytes) / kGibibyte,
                    static_cast<double>(available) / kGibibyte));
  }
}

namespace detail {

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

namespace {

std::atomic<bool> stop_flag = false;
std::atomic<std::time_t> stop_flag_set_s = 0;
static_assert(decltype(stop_flag)::is_always_lock_free &&
                  decltype(stop_flag_set_s)::is_always_lock_free,
              "a signal handler sets them");

/// A launcher may pass on what a terminal has sent already.
void set_stop_flag(int signal) {
  constexpr std::time_t kSameRequest_s = 2;
  const std::time_t now_s = std::time(nullptr);
  if (!stop_flag.exchange(true)) {
    stop_flag_set_s = now_s;
  } else if (now_s - stop_flag_set_s >= kSameRequest_s) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

CallOptions call_options(const RunOptions& options, const ProgramTraits& program, int rank,
                         Recorder& recorder, RunReport& report) {
  CallOptions call{{.comm = MPI_COMM_WORLD,
                    .recorder = &recorder,
                    .placement = options.placement,
                    .stealing = {.threads = options.threads,
                                 .seed = options.seed,
                                 .max_nodes = options.max_nodes,
                                 .max_s = options.max_s,
                                 .statistics = rank == 0 ? &report.workers : nullptr}},
                   {},
                   options.quiet ? nullptr : &report.visits};
  if (instruments.attach) {
    instruments.attach(call, rank);
  }
  if (program.searches) {
    call.stealing.ended_early = &report.ended;
    call.stealing.stop = &stop_flag;
  }
  if (options.checkpoint) {
    call.checkpoint = CheckpointOptions{.folder = *options.checkpoint,
                                        .every_s = options.checkpoint_every_s,
                                        .resume = options.resume,
                                        .app = program.name,
                                        .report = &report.snapshots};
  }
  return call;
}

void run_with_stop_signals(const std::function<void()>& body) {
  const auto of_term = std::signal(SIGTERM, set_stop_flag);
  const auto of_int = std::signal(SIGINT, set_stop_flag);
  body();
  std::signal(SIGTERM, of_term);
  std::signal(SIGINT, of_int);
}

std::vector<int> bind_as(const RunOptions& options, const Comm& comm) {
  std::vector<int> threads = hardware_threads_of_workers(comm, options.threads);
  // Threads that the system refuses to bind stay where they are: no result depends on it.
  if (!threads.empty()) {
    bind_thread(threads.front());
  }
  return threads;
}

std::uint64_t seed_of_repetition(const RunOptions& options, int index) {
  const int to_come = options.warm_up + options.repetitions - 1 - index;
  return options.inputs == Inputs::each_new
             ? options.seed + (static_cast<std::uint64_t>(to_come) << 32)
             : options.seed;
}

void add_asked_sizes(const RunOptions& options, Recorder& recorder) {
  for (const auto& [name, count] : options.sizes) {
    if (recorder.run_sizes().size() < Sizes::kMaxSizes) {
      recorder.add_run_sizes({{name, count}});
    }
  }
}

void measure(const Comm& world, AnyRun& run, const RunOptions& options,
             std::span<Recorder> recorders, RunReport& report,
             const std::function<std::int64_t()>& solve) {
  std::optional<std::uint64_t> made;
  const auto make = [&](std::uint64_t seed) {
    add_time(report.input_s,
             [&] { agree(world, [&] { run.make_problem(world, options, seed); }); });
    made = seed;
  };
  if (run.keeps_problem()) {
    make(seed_of_repetition(options, 0));  // what that took besides goes back to the system
  }
  keep_freed_memory();
  Recorder& first = recorders.front();
  bool has_ended = false;
  for (int i = 0; i < options.warm_up + options.repetitions && !has_ended; ++i) {
    if (!run.keeps_problem() || made != seed_of_repetition(options, i)) {
      make(seed_of_repetition(options, i));
    }
    agree(world, [&] { run.begin_solving(); });
    for (Recorder& recorder : recorders) {
      recorder.begin_repetition(i, i < options.warm_up);
    }
    const std::int64_t elapsed_ns = solve();
    if (run.is_generated() && (is_distributed(options) || first.run_sizes().empty())) {
      add_asked_sizes(options, first);
    }
    for (Recorder& recorder : recorders) {
      recorder.end_repetition(elapsed_ns);
    }
    has_ended = world.allreduce_max(report.ended ? 1 : 0) != 0;
    report.runs_done += has_ended ? 0 : 1;
  }
  report.take(first.repetitions());
  if (const auto all = first.repetitions(); all.size() > 1 && options.inputs == Inputs::same) {
    report.kept_state = kept_state(all[0].elapsed_ns, all[1].elapsed_ns);
  }
}

std::int64_t solve_once(const Comm& world, AnyRun& run, const RunOptions& options,
                        const CallOptions& call) {
  world.barrier();
  const std::int64_t begin_ns = mpi_time_ns();
  if (options.type != DC_Type::sequential) {
    run.solve(options.type, call);
  } else {
    agree(world, [&] {
      if (world.rank() == 0) {
        run.solve(options.type, call);
      }
    });
  }
  return world.allreduce_max(mpi_time_ns() - begin_ns);
}

void RunReport::take(std::span<const Repetition> repetitions) {
  sizes = repetitions.back().sizes;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.warm_up || repetitions.back().warm_up) {
      seconds.push_back(static_cast<double>(repetition.elapsed_ns) / 1e9);
    }
  }
}

std::optional<double> imbalance_of(const Comm& comm, const Recorder& recorder) {
  const std::int32_t last = recorder.repetitions().back().index;
  std::int64_t mine = 0;
  for (const Span& span : recorder.spans()) {
    if (span.repetition == last &&
        (span.block == Block::sequential || span.block == Block::conquer)) {
      mine += std::ranges::max(span.size_values);
    }
  }
  const double mean = static_cast<double>(comm.allreduce_sum(mine)) / comm.size();
  const auto most = static_cast<double>(comm.allreduce_max(mine));
  return mean == 0 ? std::nullopt : std::optional(most / mean);
}

}  // namespace detail

}  // namespace cleave
