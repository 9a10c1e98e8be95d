// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include <cleave/bag.hpp>
#include <cleave/clock.hpp>
#include <cleave/stealing/helpers.hpp>
#include <cleave/stealing/search_of_rank.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

namespace {

constexpr std::size_t kSpansKept = 1 << 16;

bool is_limited(const StealingOptions& options) {
  return options.max_nodes != std::numeric_limits<std::int64_t>::max() ||
         options.max_memory_bytes != std::numeric_limits<std::size_t>::max();
}

}  // namespace

void SearchWorker::adapt_batch(std::int64_t visited, std::int64_t took_ns) {
  constexpr std::int64_t kShort_ns = 5'000;
  constexpr std::int64_t kLong_ns = 20'000;
  constexpr std::int64_t kMaxBatch = 4096;
  if (took_ns < kShort_ns && visited == batch) {
    batch = std::min(2 * batch, kMaxBatch);
  } else if (took_ns > kLong_ns) {
    batch = std::max<std::int64_t>(visited * kLong_ns / took_ns, 1);
  }
}

SearchOfRank::SearchOfRank(const BagOptions& bag, std::unique_ptr<Transport> transport,
                           Surroundings surroundings, const CallOptions& options)
    : BagOfRank(bag, std::move(transport), std::move(surroundings)),
      options_(options),
      is_limited_(is_limited(options.stealing)),
      clock_(options.recorder != nullptr ? options.recorder->clock() : mpi_time_ns),
      offset_ns_(clock_() - transport_->pace_ns()) {
  if (options.visits != nullptr && transport_->rank() == 0) {
    options.visits->store(0, std::memory_order_relaxed);
  }
}

void SearchOfRank::add_worker(SearchWorker& worker) {
  workers_.push_back(&worker);
  if (options_.recorder != nullptr) {
    worker.recorder.emplace(options_.recorder->clock(), kSpansKept);
  }
}

Balancer::Outcome SearchOfRank::run(SnapshotFolder* snapshots) {
  snapshots_ = snapshots;
  begin_ns_ = transport_->pace_ns();
  for (SearchWorker* const worker : workers_) {
    worker->nodes_before = nodes_of(*worker);
  }
  set_active(first(), true);
  begin_search();
  let_helpers_rest();
  {
    Helpers helpers([this] { command(Command::stop); });
    failure_.guard("threads", [&] { start(helpers); });
    for (std::int64_t now = now_ns(first()); outcome() == Balancer::Outcome::running;) {
      now = work(first(), now);
    }
  }
  first().statistics.remote_tried = balancer_->statistics().tried;
  first().statistics.remote_made = balancer_->statistics().made;
  for (SearchWorker* const worker : workers_) {
    publish(*worker);
    finish(*worker);
  }
  check_limits();
  return outcome();
}

std::vector<WorkerStatistics> SearchOfRank::statistics() const {
  std::vector<WorkerStatistics> all;
  all.reserve(workers_.size());
  for (const SearchWorker* const worker : workers_) {
    all.push_back(worker->statistics);
  }
  return all;
}

/// \throws Error  if the system starts no more threads; those that it has started work
void SearchOfRank::start(Helpers& helpers) {
  const std::vector<int>& bound_to = options_.bound_to;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    try {
      helpers.start([this, i] { help(*workers_[i]); }, bound_to.empty() ? -1 : bound_to[i]);
    } catch (const std::exception& e) {
      throw Error(
          fmt::format("cannot start thread {} of {}: {}", i + 1, workers_.size(), e.what()));
    }
  }
}

/// Other threads call no MPI, not even for its clock.
std::int64_t SearchOfRank::now_ns(const SearchWorker& worker) const {
  return worker.index == 0 ? clock_() : transport_->pace_ns() + offset_ns_;
}

void SearchOfRank::help(SearchWorker& worker) {
  end_rest();
  for (std::int64_t now = now_ns(worker);;) {
    switch (commanded()) {
      case Command::go:
        now = work(worker, now);
        break;
      case Command::rest:
        rest_while_told();
        now = now_ns(worker);
        break;
      case Command::stop:
        return;
    }
  }
}

// The clock of the main thread is MPI's, which may take long to read: what ends one thing begins
// the next.

/// Visits nodes, then looks for others, until it has some or is told something else.
/// \return  when it ended
std::int64_t SearchOfRank::work(SearchWorker& worker, std::int64_t begin_ns) {
  if (worker.is_active && !worker.has_failed && may_go()) {
    begin_ns = search(worker, begin_ns);
  }
  return look_for_work(worker, begin_ns);
}

/// Visits nodes until there are none in this worker's deque or it is told to stop.
/// \return  when it ended
std::int64_t SearchOfRank::search(SearchWorker& worker, std::int64_t begin_ns) {
  const std::int64_t visits_before = worker.statistics.visits;
  const std::int64_t nodes_before = nodes_of(worker);
  std::int64_t now = transport_->pace_ns();
  bool went_well = true;
  for (bool is_empty = false; went_well && !is_empty && may_go() && !is_answered();) {
    std::int64_t visited = 0;
    went_well = failure_.guard("visit", [&] {
      if (options_.hooks.before_block) {
        options_.hooks.before_block(Block::sequential, 0);
      }
      visited = visit_some(worker);
      worker.statistics.visits += visited;
      is_empty = !has_private(worker.index);
      share(worker.index);
    });
    if (is_limited_) {
      publish(worker);
    }
    if (options_.visits != nullptr) {
      options_.visits->fetch_add(visited, std::memory_order_relaxed);
    }
    const std::int64_t batch_begin_ns = std::exchange(now, transport_->pace_ns());
    worker.adapt_batch(visited, now - batch_begin_ns);
    // Not guarded: without a message that is lost, the ranks could not agree on an end.
    if (worker.index == 0 && now >= next_poll_ns_) {
      now = poll();
    }
  }
  if (!went_well || is_answered()) {
    stop_worker(worker);
  }
  const std::int64_t end_ns = now_ns(worker);
  worker.statistics.searching_ns += end_ns - begin_ns;
  const std::int64_t visits = worker.statistics.visits - visits_before;
  worker.statistics.searches += visits > 0 ? 1 : 0;
  worker.adapt_steal();
  if (worker.recorder && visits > 0) {
    worker.recorder->record(Block::sequential, worker.index, 1, begin_ns, end_ns, 0,
                            {{"nodes", nodes_of(worker) - nodes_before}});
  }
  return end_ns;
}

/// \return  when it ended
std::int64_t SearchOfRank::look_for_work(SearchWorker& worker, std::int64_t begin_ns) {
  const bool found = look_for_nodes(worker);
  const std::int64_t end_ns = now_ns(worker);
  WorkerStatistics& statistics = worker.statistics;
  if (found) {
    statistics.stealing_ns += end_ns - begin_ns;
    statistics.starting_ns += statistics.visits == 0 ? end_ns - begin_ns : 0;
  } else {
    statistics.idle_ns += end_ns - begin_ns;
    statistics.ending_ns = end_ns - begin_ns;
  }
  if (worker.recorder && end_ns > begin_ns) {
    worker.recorder->record(found ? Block::steal : Block::idle, worker.index, 1, begin_ns, end_ns,
                            0, {});
  }
  return end_ns;
}

void SearchOfRank::publish(SearchWorker& worker) {
  worker.nodes_seen.store(nodes_of(worker), std::memory_order_relaxed);
  worker.memory_bytes.store(memory_bytes(worker), std::memory_order_relaxed);
}

std::int64_t SearchOfRank::nodes_of(const SearchWorker& worker) {
  std::int64_t nodes = worker.statistics.visits;
  failure_.guard("solution_sizes", [&] { nodes = counted_nodes(worker).value_or(nodes); });
  return nodes;
}

/// A worker whose functor threw, or whose rank has the answer, keeps its nodes and does nothing
/// more.
void SearchOfRank::stop_worker(SearchWorker& worker) {
  worker.has_failed = true;
  if (worker.index != 0) {
    rest_until_stopped();
  }
}

void SearchOfRank::finish(SearchWorker& worker) {
  worker.statistics.nodes = nodes_of(worker) - worker.nodes_before;
  if (worker.recorder) {
    failure_.guard("trace", [&] {
      options_.recorder->append(*worker.recorder);
      options_.recorder->add_worker(worker.statistics);
    });
  }
}

void SearchOfRank::take(std::span<const std::byte> nodes) {
  failure_.guard("steal", [&] {
    first().statistics.nodes_stolen += static_cast<std::int64_t>(take_nodes(nodes));
    first().statistics.bytes_received += std::ssize(nodes);
  });
}

std::uint8_t SearchOfRank::wishes() {
  if (failure_.is_set()) {
    return kEnd | kLost;
  }
  check_limits();
  const bool keeps = snapshots_ != nullptr;
  if (!refusal_.empty() || is_to_stop()) {
    return keeps ? kEnd | kSnapshot : kEnd;
  }
  if (is_answered()) {
    return kEnd;
  }
  const bool is_due = keeps && transport_->rank() == 0 && snapshots_->is_due(transport_->now_ns());
  return is_due ? kSnapshot : kNothing;
}

bool SearchOfRank::is_to_stop() {
  const SearchLimits limits = limits_of(options_.stealing);
  if (stopped_.empty() && may_be_told_to_end(limits)) {
    const double seconds = static_cast<double>(transport_->pace_ns() - begin_ns_) / 1e9;
    stopped_ = told_to_end(limits, seconds).value_or("");
  }
  return !stopped_.empty();
}

void SearchOfRank::check_limits() {
  if (!is_limited_ || !refusal_.empty()) {
    return;
  }
  std::int64_t nodes = 0;
  std::size_t bytes = 0;
  for (const SearchWorker* const worker : workers_) {
    nodes += worker->nodes_seen.load(std::memory_order_relaxed);
    bytes += worker->memory_bytes.load(std::memory_order_relaxed);
  }
  refusal_ = beyond(limits_of(options_.stealing), nodes, bytes).value_or("");
}

bool SearchOfRank::write_snapshot() {
  try {
    write_part(*snapshots_);
    return true;
  } catch (const std::exception& e) {
    refusal_ = e.what();
    return false;
  }
}

bool SearchOfRank::complete_snapshot() {
  try {
    snapshots_->complete();
    return true;
  } catch (const std::exception& e) {
    refusal_ = e.what();
    return false;
  }
}

}  // namespace cleave::detail
