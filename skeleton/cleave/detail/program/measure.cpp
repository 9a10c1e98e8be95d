// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <numeric>

#include <cleave/detail/cores/place_workers.hpp>
#include <cleave/detail/program/dilate.hpp>
#include <cleave/detail/program/measure.hpp>
#include <cleave/detail/program/mpi_program.hpp>
#include <cleave/detail/trace/probe.hpp>
#include <cleave/detail/trace/provenance.hpp>

namespace cleave::detail {

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

bool watches_cores(const Comm& world, const RunOptions& options, const TestOptions& test_options) {
  return options.trace && !test_options.dilation && !simulates_hosts(mpi_library()) &&
         !world.oversubscribed(options.threads);
}

std::int64_t slowest_probe_ns(const Comm& world) {
  world.barrier();
  return world.allreduce_max(probe_ns());
}

namespace {

std::atomic<bool> stop_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

std::atomic<std::time_t> stop_flag_set_s = 0;
static_assert(std::atomic<std::time_t>::is_always_lock_free);

/// A launcher may pass on what a terminal has sent already.
extern "C" void set_stop_flag(int signal) {
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

CallOptions call_options(const RunOptions& options, const TestOptions& test_options,
                         const ProgramTraits& program, const std::string& instance, int rank,
                         Recorder& recorder, SearchReport& report) {
  CallOptions call{
      {.comm = MPI_COMM_WORLD,
       .recorder = &recorder,
       .placement = options.placement,
       .stealing = {.threads = options.threads,
                    .seed = options.seed,
                    .max_nodes = options.max_nodes,
                    .max_memory_bytes = static_cast<std::size_t>(options.max_memory_bytes),
                    .max_s = options.max_s,
                    .statistics = &report.workers}},
      {.before_block = arm(test_options.injections, rank)},
      is_told(options) ? &report.watch : nullptr};
  if (test_options.dilation) {
    dilate_blocks(call, *test_options.dilation,
                  options.type == DC_Type::hypercube && options.inputs == Inputs::same);
  }
  if (program.searches) {
    call.stealing.ended_early = &report.ended;
    call.stealing.stop = options.type == DC_Type::work_stealing ? &stop_flag : nullptr;
  }
  if (options.checkpoint) {
    call.checkpoint = CheckpointOptions{.folder = *options.checkpoint,
                                        .every_s = options.checkpoint_every_s,
                                        .resume = options.resume,
                                        .app = program.name,
                                        .instance = instance,
                                        .report = &report.snapshots};
  }
  return call;
}

StopSignals::StopSignals(bool are_taken) : are_taken_(are_taken) {
  if (are_taken_) {
    of_term_ = std::signal(SIGTERM, set_stop_flag);
    of_int_ = std::signal(SIGINT, set_stop_flag);
  }
}

StopSignals::~StopSignals() {
  if (are_taken_) {
    std::signal(SIGTERM, of_term_);
    std::signal(SIGINT, of_int_);
  }
}

std::vector<int> bind_as(const RunOptions& options, const Comm& comm) {
  if (options.bind == Bind::none) {
    return {};
  }
  std::vector<int> threads =
      hardware_threads_of_workers(comm, options.threads, options.bind == Bind::full);
  // What the system refuses stays where it is: no result depends on it.
  if (!threads.empty()) {
    bind_thread(threads.front());
  }
  return threads;
}

namespace {

/// How many visits a search takes, with 95 % probability.
Range visits_of(const SearchWatch::Size& size) {
  const TreeSizeEstimate& tree = size.estimate;
  Range all = tree.freedom > 0
                  ? range_of(tree.visits, tree.deviation * tree.deviation, tree.freedom)
                  : Range{tree.visits, tree.visits};
  if (tree.freedom > 0) {
    // Sizes of sweeps are skewed: a few miss the rare large ones. Chosen by trees whose size is
    // known: with it 152 of 154 intervals hold, without it 9 of 10.
    constexpr double kMissed = 0.5;
    const double deviation_of_sweep = tree.deviation * std::sqrt(tree.freedom + 1);
    all.high *= 1 + kMissed * deviation_of_sweep / tree.visits;
  }
  all.high += size.before_incumbent;
  return all;
}

}  // namespace

RunProgress::RunProgress(const Comm& world, const std::string& program, const RunOptions& options,
                         const SearchWatch* watch)
    : runs_(options.warm_up + options.repetitions), watch_(watch) {
  std::optional<Range> expected;
  if (options.expected_s) {
    expected = Range{options.expected_s->first, options.expected_s->second};
  }
  for (int i = 0; i < runs_; ++i) {
    steps_.add({.kind = i < options.warm_up ? 0 : 1, .expected_s = expected});
  }
  agree(world, [&] {
    if (world.rank() == 0 && is_told(options)) {
      progress_.emplace(program,
                        Progress::Where{.on_terminal = !options.quiet,
                                        .status_file = options.status.value_or("")},
                        [this] { return look(); });
    }
  });
}

void RunProgress::begin_run() {
  const std::lock_guard guard(mutex_);
  run_begin_ns_ = monotonic_ns();
  rate_ = {};
}

void RunProgress::end_run() {
  const std::lock_guard guard(mutex_);
  steps_.complete(static_cast<double>(monotonic_ns() - run_begin_ns_.value_or(0)) / 1e9);
  run_begin_ns_.reset();
}

void RunProgress::end() {
  if (progress_) {
    progress_->end();
  }
}

Moment RunProgress::look() {
  const std::lock_guard guard(mutex_);
  const std::int64_t now_ns = monotonic_ns();
  const double elapsed_s = static_cast<double>(now_ns - begin_ns_) / 1e9;
  const double current_s = run_begin_ns_ ? static_cast<double>(now_ns - *run_begin_ns_) / 1e9 : 0;
  Moment moment;
  moment.remaining_s = steps_.remaining_s(current_s, of_current_run(current_s));
  moment.fraction = steps_.fraction(elapsed_s, moment.remaining_s);
  moment.step = steps_.to_come() == 0 ? "checking and writing"
                                      : fmt::format("run {} of {}", steps_.done() + 1, runs_);
  moment.visits_per_second = rate_.per_second();
  return moment;
}

/// What a search tells of the time that it takes as a whole.
std::optional<Range> RunProgress::of_current_run(double current_s) {
  if (watch_ == nullptr || !run_begin_ns_ || watch_->visits() == 0) {
    return std::nullopt;
  }
  const auto visits = static_cast<double>(watch_->visits());
  rate_.add(current_s, visits);
  const std::optional<SearchWatch::Size> size = watch_->size();
  if (!size) {
    return std::nullopt;
  }
  const auto rest_s = rest_of_search_s(visits, current_s, visits_of(*size), rate_.deviation());
  return rest_s ? std::optional(Range{current_s + rest_s->low, current_s + rest_s->high})
                : std::nullopt;
}

std::optional<double> imbalance_of(const Comm& comm, const Recorder& recorder,
                                   std::string_view work) {
  const std::int32_t last = recorder.repetitions().back().index;
  std::int64_t mine = 0;
  for (const Span& span : recorder.spans()) {
    const bool is_leaf = span.block == Block::sequential || span.block == Block::conquer;
    if (span.repetition != last || !is_leaf) {
      continue;
    }
    for (const Size& size : recorder.sizes_of(span)) {
      mine += size.name == work ? size.value : 0;
    }
  }
  const std::vector<std::int64_t> all = comm.gather(mine);
  const std::int64_t total = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  if (total == 0) {
    return std::nullopt;
  }
  const double mean = static_cast<double>(total) / comm.size();
  return static_cast<double>(*std::max_element(all.begin(), all.end())) / mean;
}

}  // namespace cleave::detail
