// SPDX-License-Identifier: Apache-2.0
// The workers of one rank in a search: they visit the nodes of a bag (bag.hpp), steal from one
// another, and rest when they are told to. The first is the calling thread, which also speaks with
// the other ranks (balancer.hpp).
//
// A worker visits some nodes without looking up: as many as take it 5 to 20 us. Between two such
// batches it shares nodes, and the first one looks for messages. The file is long because all that
// changes the workers' times and totals is here.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/bag.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/clock.hpp>
#include <cleave/stealing/helpers.hpp>
#include <cleave/stealing/kernel.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

template <class Total>
struct SearchWorker : Worker {
  using Worker::Worker;

  Total total{};
  std::int64_t batch = 1;  ///< visits between two looks up
  std::int64_t nodes_before = 0;
  std::optional<Recorder> recorder;
  // Read by the main thread.
  alignas(kCacheLineBytes) std::atomic<std::int64_t> nodes_seen = 0;
  std::atomic<std::int64_t> visits_seen = 0;
  std::atomic<std::size_t> memory_bytes = 0;

  /// A batch is to take 5 to 20 us. It grows by and by, and shrinks at once where visits have
  /// become longer.
  void adapt_batch(std::int64_t visited, std::int64_t took_ns) {
    constexpr std::int64_t kShort_ns = 5'000;
    constexpr std::int64_t kLong_ns = 20'000;
    constexpr std::int64_t kMaxBatch = 4096;
    if (took_ns < kShort_ns && visited == batch) {
      batch = std::min(2 * batch, kMaxBatch);
    } else if (took_ns > kLong_ns) {
      batch = std::max<std::int64_t>(visited * kLong_ns / took_ns, 1);
    }
  }
};

template <Kernel K>
class Workers final : private BagInstance<typename K::Node> {
 public:
  using Node = typename K::Node;
  using Total = typename K::Total;

  Workers(K& kernel, std::unique_ptr<Transport> transport, Surroundings surroundings,
          typename K::Incumbent& incumbent, const CallOptions& options)
      : Instance(std::move(transport), std::move(surroundings),
                 {.workers = options.stealing.threads,
                  .max_stolen_bytes = options.stealing.max_stolen_bytes,
                  .poll_ns = options.stealing.poll_ns,
                  .seed = options.stealing.seed}),
        kernel_(kernel),
        incumbent_(incumbent),
        options_(options),
        is_limited_(options.stealing.max_nodes != std::numeric_limits<std::int64_t>::max() ||
                    options.stealing.max_memory_bytes != std::numeric_limits<std::size_t>::max()),
        clock_(options.recorder != nullptr ? options.recorder->clock() : mpi_time_ns),
        offset_ns_(clock_() - transport_->pace_ns()) {
    if (options.visits != nullptr && transport_->rank() == 0) {
      options.visits->store(0, std::memory_order_relaxed);
      visits_of_rank_.resize(transport_->size());
    }
    for (int i = 0; i < options.stealing.threads; ++i) {
      workers_.push_back(std::make_unique<Worker>(transport_->rank(), i));
      if (options.recorder != nullptr) {
        workers_.back()->recorder.emplace(options.recorder->clock(), kSpansKept);
      }
    }
  }

  /// Calls `fill` with where the first nodes are put and what they count into, before `run`. What
  /// it throws is a failure that ends the search.
  template <class Fill>
  void begin(Fill&& fill) {
    first().has_failed = !failure_.guard("begin", [&] { fill(deques_.of(0), first().total); });
  }

  /// What a snapshot held. \throws Error  if it is damaged
  void restore(const SnapshotPart& part) {
    deques_.take(part.nodes);
    for (Unpacker unpacker(part.totals); unpacker.left() > 0;) {
      first().total = kernel_.combine(std::move(first().total), unpack_element<Total>(unpacker));
    }
    incumbent_.offer_key(part.incumbent);
  }

  /// Works until all ranks have nothing to do any more, or one of them wants an end.
  Balancer::Outcome run(SnapshotFolder* snapshots) {
    snapshots_ = snapshots;
    begin_ns_ = transport_->pace_ns();
    for (const auto& worker : workers_) {
      worker->nodes_before = nodes_of(*worker);
    }
    set_active(first(), true);
    this->begin_search();
    this->let_helpers_rest();
    {
      Helpers helpers([this] { this->command(Command::stop); });
      failure_.guard("threads", [&] { start(helpers); });
      for (std::int64_t now = now_ns(first()); outcome() == Balancer::Outcome::running;) {
        now = work(first(), now);
      }
    }
    first().statistics.remote_tried = balancer_->statistics().tried;
    first().statistics.remote_made = balancer_->statistics().made;
    for (const auto& worker : workers_) {
      publish(*worker);
      finish(*worker);
    }
    check_limits();
    return outcome();
  }

  /// All that the workers of this rank have counted.
  Total take_total() {
    Total all = std::move(workers_.front()->total);
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      all = kernel_.combine(std::move(all), std::move(workers_[i]->total));
    }
    return all;
  }

  const std::optional<Failure>& failure() const { return failure_.get(); }
  /// Why the search was ended, if this rank wanted that and it is no failure of a functor.
  const std::string& refusal() const { return refusal_; }
  /// Why it was told to stop, if this rank was, and not by a visit.
  const std::string& stopped() const { return stopped_; }

  /// On rank 0: time in which all ranks rested for snapshots.
  std::int64_t snapshots_ns() const { return balancer_->statistics().snapshots_ns; }

  std::vector<WorkerStatistics> statistics() const {
    std::vector<WorkerStatistics> all;
    all.reserve(workers_.size());
    for (const auto& worker : workers_) {
      all.push_back(worker->statistics);
    }
    return all;
  }

 private:
  using Instance = BagInstance<Node>;
  using typename Instance::Command;
  using Worker = SearchWorker<Total>;

  using Instance::balancer_;
  using Instance::commanded;
  using Instance::deques_;
  using Instance::failure_;
  using Instance::may_go;
  using Instance::next_poll_ns_;
  using Instance::outcome;
  using Instance::set_active;
  using Instance::transport_;

  static constexpr std::size_t kSpansKept = 1 << 16;

  Worker& first() { return *workers_.front(); }

  /// \throws Error  if the system starts no more threads; those that it has started work
  void start(Helpers& helpers) {
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
  std::int64_t now_ns(const Worker& worker) const {
    return worker.index == 0 ? clock_() : transport_->pace_ns() + offset_ns_;
  }

  void help(Worker& worker) {
    this->end_rest();
    for (std::int64_t now = now_ns(worker);;) {
      switch (commanded()) {
        case Command::go:
          now = work(worker, now);
          break;
        case Command::rest:
          this->rest_while_told();
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
  std::int64_t work(Worker& worker, std::int64_t begin_ns) {
    if (worker.is_active && !worker.has_failed && may_go()) {
      begin_ns = search(worker, begin_ns);
    }
    return look_for_work(worker, begin_ns);
  }

  /// Visits nodes until there are none in this worker's deque or it is told to stop.
  /// \return  when it ended
  std::int64_t search(Worker& worker, std::int64_t begin_ns) {
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
        is_empty = !deques_.of(worker.index).has_private();
        this->share(worker.index);
      });
      if (is_limited_) {
        publish(worker);
      }
      if (options_.visits != nullptr) {
        worker.visits_seen.store(worker.statistics.visits, std::memory_order_relaxed);
      }
      const std::int64_t batch_begin_ns = std::exchange(now, transport_->pace_ns());
      worker.adapt_batch(visited, now - batch_begin_ns);
      // Not guarded: without a message that is lost, the ranks could not agree on an end.
      if (worker.index == 0 && now >= next_poll_ns_) {
        now = look_up();
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

  /// Visits a batch of nodes, or fewer where there are no more. It ends early where visits have
  /// become long, since others wait. \return  how many
  std::int64_t visit_some(Worker& worker) {
    constexpr int kTurnsBetweenLooks = 4;
    constexpr std::int64_t kTooLong_ns = 1'000'000;
    const std::int64_t begin_ns = transport_->coarse_ns();
    SplitDeque<Node>& mine = deques_.of(worker.index);
    auto visitor = kernel_.visitor(mine);
    std::int64_t visited = 0;
    for (int turn = 1; visited < worker.batch && mine.has_private() && !visitor.is_stopped();
         ++turn) {
      visited += visitor.visit(worker.batch - visited, worker.total, incumbent_);
      if (turn % kTurnsBetweenLooks == 0 && transport_->coarse_ns() - begin_ns > kTooLong_ns) {
        break;
      }
    }
    if (visitor.is_stopped()) {
      this->stop();
    }
    return visited;
  }

  /// Looks for messages. \return  the time after it
  std::int64_t look_up() {
    const std::int64_t now = this->poll();
    if (options_.visits != nullptr && now >= next_count_ns_) {
      count_visits(now);
    }
    return now;
  }

  /// For whoever watches the search. Ranks tell rank 0 ten times a second at first, later once a
  /// second, and less often where they are thousands.
  void count_visits(std::int64_t now_ns) {
    constexpr std::int64_t kSecond_ns = 1'000'000'000;
    constexpr std::int64_t kRanksASecond = 1000;
    std::int64_t visits = 0;
    for (const auto& worker : workers_) {
      visits += worker->visits_seen.load(std::memory_order_relaxed);
    }
    if (transport_->rank() == 0) {
      next_count_ns_ = now_ns + kSecond_ns / 10;
      told_visits(0, visits);
    } else {
      const std::int64_t wait_ns =
          std::clamp((now_ns - begin_ns_) / 8, kSecond_ns / 10, kSecond_ns);
      next_count_ns_ = now_ns + wait_ns * (1 + transport_->size() / kRanksASecond);
      visits_to_tell_ = visits;
    }
  }

  /// \return  when it ended
  std::int64_t look_for_work(Worker& worker, std::int64_t begin_ns) {
    const bool found = this->look_for_nodes(worker);
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

  void publish(Worker& worker) {
    worker.nodes_seen.store(nodes_of(worker), std::memory_order_relaxed);
    worker.memory_bytes.store(deques_.of(worker.index).memory_bytes(), std::memory_order_relaxed);
  }

  std::int64_t nodes_of(const Worker& worker) {
    std::int64_t nodes = worker.statistics.visits;
    failure_.guard("solution_sizes", [&] { nodes = kernel_.nodes(worker.total).value_or(nodes); });
    return nodes;
  }

  /// Whether a visit on this rank has stopped the search.
  bool is_answered() const { return this->is_told_to_stop(); }

  /// A worker whose functor threw, or whose rank has the answer, keeps its nodes and does nothing
  /// more.
  void stop_worker(Worker& worker) {
    worker.has_failed = true;
    if (worker.index != 0) {
      this->rest_until_stopped();
    }
  }

  void finish(Worker& worker) {
    worker.statistics.nodes = nodes_of(worker) - worker.nodes_before;
    if (worker.recorder) {
      failure_.guard("trace", [&] {
        options_.recorder->append(*worker.recorder);
        options_.recorder->add_worker(worker.statistics);
      });
    }
  }

  // What the balancer asks.

  void take(std::span<const std::byte> nodes) override {
    failure_.guard("steal", [&] {
      first().statistics.nodes_stolen += static_cast<std::int64_t>(deques_.take(nodes));
      first().statistics.bytes_received += std::ssize(nodes);
    });
  }

  bool next_parcel(Parcel& parcel) override { return kernel_.next_parcel(parcel); }
  void deliver(std::span<const std::byte> parcel) override {
    failure_.guard("combine", [&] { kernel_.deliver(parcel, first().total); });
  }

  std::int64_t incumbent() override { return incumbent_.key(); }
  void offer_incumbent(std::int64_t key) override { incumbent_.offer_key(key); }

  std::uint8_t wishes() override {
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
    const bool is_due =
        keeps && transport_->rank() == 0 && snapshots_->is_due(transport_->now_ns());
    return is_due ? kSnapshot : kNothing;
  }

  bool is_to_stop() {
    if (stopped_.empty()) {
      const auto seconds = [&] {
        return static_cast<double>(transport_->pace_ns() - begin_ns_) / 1e9;
      };
      stopped_ = told_to_end(limits_of(options_.stealing), seconds).value_or("");
    }
    return !stopped_.empty();
  }

  std::optional<std::int64_t> visits_to_tell() override {
    return std::exchange(visits_to_tell_, std::nullopt);
  }

  void told_visits(int rank, std::int64_t visits) override {
    if (!visits_of_rank_.empty()) {
      all_visits_ += visits - std::exchange(visits_of_rank_[rank], visits);
      options_.visits->store(all_visits_, std::memory_order_relaxed);
    }
  }

  void check_limits() {
    if (!is_limited_ || !refusal_.empty()) {
      return;
    }
    std::int64_t nodes = 0;
    std::size_t bytes = 0;
    for (const auto& worker : workers_) {
      nodes += worker->nodes_seen.load(std::memory_order_relaxed);
      bytes += worker->memory_bytes.load(std::memory_order_relaxed);
    }
    refusal_ = beyond(limits_of(options_.stealing), nodes, bytes).value_or("");
  }

  bool write_snapshot() override {
    try {
      if constexpr (Transferable<Total>) {
        Packer nodes;
        deques_.for_each([&nodes](const Node& node) { pack_element<Node>(nodes, node); });
        Packer totals;
        for (const auto& worker : workers_) {
          pack_element<Total>(totals, worker->total);
        }
        snapshots_->write_part(nodes.bytes(), totals.bytes(), incumbent_.key());
      }
      return true;
    } catch (const std::exception& e) {
      refusal_ = e.what();
      return false;
    }
  }

  bool complete_snapshot() override {
    try {
      snapshots_->complete(transport_->now_ns());
      return true;
    } catch (const std::exception& e) {
      refusal_ = e.what();
      return false;
    }
  }

  K& kernel_;
  typename K::Incumbent& incumbent_;
  const CallOptions& options_;
  const bool is_limited_;
  const Clock clock_;
  const std::int64_t offset_ns_;  ///< of that clock to the monotonic one
  std::vector<std::unique_ptr<Worker>> workers_;
  SnapshotFolder* snapshots_ = nullptr;
  std::string refusal_;
  std::string stopped_;

  // For whoever watches the search.
  std::vector<std::int64_t> visits_of_rank_;  ///< on rank 0
  std::int64_t all_visits_ = 0;
  std::optional<std::int64_t> visits_to_tell_;
  std::int64_t next_count_ns_ = 0;
  std::int64_t begin_ns_ = 0;
};

}  // namespace cleave::detail
