// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <utility>

#include <cleave/bag.hpp>
#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host.hpp>
#include <cleave/host/threads.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/link.hpp>
#include <cleave/kernel/search.hpp>
#include <cleave/kernel/snapshot.hpp>

namespace cleave::detail {

/// The functors of an application whose types are not known: its tasks are long.
template <>
struct Tasks<AnyApp> {
  using Problem = ErasedValue;
  using Solution = ErasedValue;
  static constexpr bool kInMany = true;
  static constexpr bool kHasAfter = true;
  using Solutions = std::vector<std::optional<ErasedValue>>;

  bool trivial(const ErasedValue& problem) const { return app.trivial(problem); }
  bool small(const ErasedValue& problem) const { return app.small(problem); }
  ErasedValue conquer(ErasedValue&& problem, WorkerSlot& slot) const {
    return app.conquer(std::move(problem), slot);
  }
  ErasedValue whole(ErasedValue&& problem, WorkerSlot& slot) const {
    return app.sequential(std::move(problem), {}, slot);
  }
  Values divide(ErasedValue& problem) const { return app.divide(problem, {.left = 1, .total = 2}); }
  ErasedValue combine(Solutions& solutions) const {
    Values all;
    for (auto& each : solutions) {
      all.push_back(*std::exchange(each, std::nullopt));
    }
    return app.combine(std::move(all));
  }
  ErasedValue after(const ErasedValue& problem, ErasedValue&& solution) const {
    return app.after(problem, std::move(solution));
  }
  static ErasedValue erased(ErasedValue&& solution) { return std::move(solution); }

  static void pack_problem(Packer& packer, const ErasedValue& problem) { problem.pack(packer); }
  ErasedValue unpack_problem(Unpacker& unpacker) const {
    return ErasedValue::unpack(app.traits().problem.make, unpacker);
  }
  static void pack_solution(Packer& packer, const ErasedValue& solution) { solution.pack(packer); }
  ErasedValue unpack_solution(Unpacker& unpacker) const {
    return ErasedValue::unpack(app.traits().solution.make, unpacker);
  }

  const AnyApp& app;
};

namespace {

/// One rank in a search: when its workers visit, look for messages, rest and end, what is told of
/// them, and how their totals become the solution. A worker visits as many nodes as take it 5 to
/// 20 us without looking up. Then it shares some, and the first one, which is the calling thread,
/// speaks with the other ranks.
class RankSearch final : public RankBag {
 public:
  RankSearch(const AnyApp& app, Searched& searched, const CallOptions& options,
             const SearchMessages& ranks, Blocks& blocks)
      : RankBag(searched.segments(), ranks.transport(),
                ranks.surroundings(options.stealing.threads), options.stealing.threads,
                options.stealing.seed, blocks),
        app_(app),
        searched_(searched),
        options_(options),
        comm_(ranks),
        blocks_(blocks),
        limits_(limits_of(options.stealing)),
        clock_(options.recorder != nullptr ? options.recorder->clock() : mpi_time_ns),
        offset_ns_(clock_() - transport_->pace_ns()) {
    surroundings_.is_polite |= options.is_polite;
    constexpr std::size_t kSpansKept = 1 << 16;
    for (Worker& worker : workers_) {
      if (options_.recorder != nullptr) {
        worker.recorder.emplace(options_.recorder->clock(), kSpansKept);
      }
    }
    if (options.visits != nullptr && transport_->rank() == 0) {
      options.visits->store(0, std::memory_order_relaxed);
    }
  }
  ~RankSearch() override {
    command(Command::stop);
    std::ranges::for_each(helpers_, finish);
  }

  /// Collective. \param problem  the one of rank 0, which begins with it
  ErasedValue solve(std::optional<ErasedValue> problem) {
    if (options_.checkpoint) {
      snapshots_.emplace(comm_, *transport_, *options_.checkpoint);
    }
    if (snapshots_ && snapshots_->resumed_from() > 0) {
      cleave::agree(comm_, [&] { restore(snapshots_->read_share()); });
    } else if (problem) {
      first().has_failed = !failure_.guard("begin", [&] { searched_.begin(*std::move(problem)); });
    }
    run();
    // Whether the totals of the ranks are combined; else the one of rank 0 is the solution.
    const bool adds_up = app_.traits().searches;
    const std::optional<EndedEarly> ended = agree_on_end();
    if (ended && !adds_up) {
      throw_ended_early(*ended);  // a part of a recursion has no solution
    }
    if (ended) {
      tell_or_throw(*ended, options_.stealing);
    }
    auto solution =
        blocks_.attempt("combine", Level{}, [&] { return list_of(searched_.take_total()); });
    if (adds_up) {
      fold(solution);
    }
    std::string refusal;
    if (comm_.rank() == 0 && solution) {
      if (adds_up && !ended) {
        refusal = blocks_.refusal_of(solution->front());
      }
      blocks_.add_run_sizes(blocks_.solution_sizes(*solution));
    }
    if (options_.placement == Placement::replicated) {
      bcast(solution);
    } else if (comm_.rank() != 0) {
      solution = blocks_.no_solution();
    }
    if (agree_on_failure(comm_, blocks_, refusal.empty() ? 0 : 1) != 0) {
      tell_or_throw({.reason = comm_.bcast(refusal, 0)}, options_.stealing);
    }
    return std::move(solution.value().front());
  }

 private:
  Worker& first() { return workers_.front(); }

  /// Takes over what a snapshot held. \throws Error  if it is damaged
  void restore(const std::vector<SnapshotPart>& parts) {
    for (const SnapshotPart& part : parts) {
      segments_.take(part.nodes);
      for (Unpacker unpacker(part.totals); unpacker.left() > 0;) {
        searched_.add_totals(unpacker);
      }
      searched_.offer_incumbent(part.incumbent);
    }
  }

  /// Works until all ranks have nothing to do any more, or one of them wants an end.
  void run() {
    begin_ns_ = transport_->pace_ns();
    for (Worker& worker : workers_) {
      worker.statistics.nodes = -publish_nodes(worker);
    }
    set_active(first(), true);
    resting_ = static_cast<int>(workers_.size()) - 1;  // until each has begun
    begin_search();
    failure_.guard("threads", [&] { start_helpers(); });
    work(first());
    std::ranges::for_each(helpers_, finish);
    first().statistics.remote_tried = balancer_->statistics().tried;
    first().statistics.remote_made = balancer_->statistics().made;
    for (Worker& worker : workers_) {
      worker.statistics.nodes += publish_nodes(worker);
      if (worker.recorder) {
        failure_.guard("trace", [&] {
          options_.recorder->append(*worker.recorder);
          options_.recorder->add_worker(worker.statistics);
        });
      }
    }
    check_limits();
  }

  /// Throws on every rank what has failed, if anything has; else tells rank 0's caller what the
  /// workers did. \return  why the search ended early, if it did and not by a visit, on every rank
  std::optional<EndedEarly> agree_on_end() {
    if (snapshots_ && options_.checkpoint->report != nullptr) {
      *options_.checkpoint->report = {.resumed_from = snapshots_->resumed_from(),
                                      .written = snapshots_->written(),
                                      .resting_ns = balancer_->statistics().snapshots_ns};
    }
    // The greatest of any rank counts.
    enum : std::int64_t { kNoMore, kStatistics, kStopped, kRefused };
    const std::int64_t mine = ended_ ? (ended_->can_be_resumed ? kStopped : kRefused)
                              : options_.stealing.statistics != nullptr ? kStatistics
                                                                        : kNoMore;
    const std::int64_t agenda = agree_on_failure(comm_, blocks_, mine);
    if (agenda != kNoMore) {
      gather_statistics();
    }
    if (agenda < kStopped) {
      return std::nullopt;
    }
    const bool has_snapshot = snapshots_ && snapshots_->written() > 0;
    const std::string kept = comm_.bcast(
        has_snapshot ? "; " + options_.checkpoint->folder.string() + " holds a snapshot" : "", 0);
    return EndedEarly{.reason = text_of_any(comm_, mine == agenda ? ended_->reason : "") + kept,
                      .can_be_resumed = agenda == kStopped && !kept.empty()};
  }

  void gather_statistics() const {
    std::vector<WorkerStatistics> mine;
    std::ranges::transform(workers_, std::back_inserter(mine), &Worker::statistics);
    std::vector<WorkerStatistics> all(comm_.rank() == 0 ? mine.size() * comm_.size() : 0);
    comm_.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    if (options_.stealing.statistics != nullptr) {
      *options_.stealing.statistics = std::move(all);
    }
  }

  /// \throws Error  if the system starts no more threads; those that it has started work
  void start_helpers() {
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      try {
        helpers_.push_back(give_to_thread([this, i] {
          if (!options_.bound_to.empty()) {
            bind_thread(options_.bound_to[i]);
          }
          resting_.fetch_sub(1);
          work(workers_[i]);
        }));
      } catch (const std::exception& e) {
        throw Error(
            fmt::format("cannot start thread {} of {}: {}", i + 1, workers_.size(), e.what()));
      }
    }
  }

  /// Other threads call no MPI, not even for its clock, which may be slow to read.
  std::int64_t now_ns(const Worker& worker) const {
    return worker.index == 0 ? clock_() : transport_->pace_ns() + offset_ns_;
  }

  /// Visits nodes and waits for others, until the search ends.
  void work(Worker& worker) {
    WorkerStatistics& statistics = worker.statistics;
    bool found = worker.is_active;
    for (std::int64_t now = now_ns(worker);;) {
      if (found) {
        now = visit_all(worker, now);
      }
      statistics.waiting_delay_ns -= run_delay_ns();
      found = wait_for_nodes(worker);
      statistics.waiting_delay_ns += run_delay_ns();
      const std::int64_t begin_ns = std::exchange(now, now_ns(worker));
      if (found) {
        statistics.stealing_ns += now - begin_ns;
        statistics.starting_ns += statistics.visits == 0 ? now - begin_ns : 0;
      } else {
        statistics.idle_ns += now - begin_ns;
        statistics.ending_ns = now - begin_ns;
      }
      if (worker.recorder && now > begin_ns) {
        worker.recorder->record(found ? Block::steal : Block::idle, worker.index, 1, begin_ns, now,
                                0, {});
      }
      if (!found) {
        return;
      }
    }
  }

  /// Visits nodes until this worker's deque has none or it is told to stop. \return  when it ended
  std::int64_t visit_all(Worker& worker, std::int64_t begin_ns) {
    WorkerStatistics& statistics = worker.statistics;
    const std::int64_t visits_before = statistics.visits;
    statistics.searching_delay_ns -= run_delay_ns();
    const std::int64_t nodes_before = publish_nodes(worker);
    std::int64_t now = transport_->pace_ns();
    for (bool is_empty = false; !worker.has_failed && !is_empty && may_go();) {
      std::int64_t visited = 0;
      const bool went_well = failure_.guard("visit", [&] {
        if (options_.before_block) {
          options_.before_block(Block::sequential, 0);
        }
        bool is_stopped = false;
        visited = searched_.visit_some(worker.index, worker.batch, *transport_, is_stopped);
        if (is_stopped) {
          stop();
        }
        statistics.visits += visited;
        is_empty = !segments_.has_private(worker.index);
        share(worker.index);
      });
      worker.has_failed = !went_well || is_told_to_stop();  // keeps its nodes, does nothing more
      if (is_limited()) {
        publish_nodes(worker);
      }
      if (options_.visits != nullptr) {
        options_.visits->fetch_add(visited, std::memory_order_relaxed);
      }
      const std::int64_t batch_begin_ns = std::exchange(now, transport_->pace_ns());
      worker.adapt_batch(visited, now - batch_begin_ns);
      // Not guarded: without a message that is lost, the ranks could not agree on an end.
      if (worker.index == 0) {
        now = look_for_messages(now);
      }
    }
    const std::int64_t end_ns = now_ns(worker);
    statistics.searching_ns += end_ns - begin_ns;
    statistics.searching_delay_ns += run_delay_ns();
    worker.adapt_steal();
    if (statistics.visits > visits_before) {
      ++statistics.searches;
      if (worker.recorder) {
        worker.recorder->record(Block::sequential, worker.index, 1, begin_ns, end_ns, 0,
                                {{"nodes", publish_nodes(worker) - nodes_before}});
      }
    }
    return end_ns;
  }

  std::int64_t publish_nodes(Worker& worker) {
    std::int64_t nodes = worker.statistics.visits;
    failure_.guard("solution_sizes",
                   [&] { nodes = searched_.nodes(worker.index).value_or(nodes); });
    worker.nodes_seen.store(nodes, std::memory_order_relaxed);
    return nodes;
  }

  bool is_limited() const { return limits_.nodes != std::numeric_limits<std::int64_t>::max(); }

  void check_limits() {
    std::int64_t nodes = 0;
    for (auto worker = workers_.begin(); is_limited() && worker != workers_.end(); ++worker) {
      nodes += worker->nodes_seen.load(std::memory_order_relaxed);
    }
    end_if(beyond(limits_, nodes), false);
  }

  /// \param reason  empty for none
  void end_if(const std::string& reason, bool can_be_resumed) {
    if (!reason.empty() && !ended_) {
      ended_ = {.reason = reason, .can_be_resumed = can_be_resumed};
    }
  }

  // Asked by the balancer.

  std::uint8_t wishes() override {
    check_limits();
    if (may_be_told_to_end(limits_)) {
      const double seconds = static_cast<double>(transport_->pace_ns() - begin_ns_) / 1e9;
      end_if(told_to_end(limits_, seconds), true);
    }
    const std::uint8_t snapshot = snapshots_ ? kSnapshot : kNothing;
    if (ended_ && !failure_.is_set()) {
      return kEnd | snapshot;
    }
    const std::uint8_t wishes = RankBag::wishes();
    const bool may_be_due = wishes == kNothing && snapshot != kNothing && comm_.rank() == 0;
    return may_be_due && snapshots_->is_due() ? snapshot : wishes;
  }

  bool next_parcel(Parcel& parcel) override { return searched_.next_parcel(parcel); }
  void deliver(std::span<const std::byte> parcel) override {
    failure_.guard("combine", [&] { searched_.deliver(parcel); });
  }
  std::int64_t incumbent() override { return searched_.incumbent(); }
  void offer_incumbent(std::int64_t key) override { searched_.offer_incumbent(key); }

  bool write_snapshot() override {
    return keeps_going([&] {
      Packer nodes;
      segments_.pack(nodes);
      Packer totals;
      searched_.pack_totals(totals);
      snapshots_->write_part({.nodes = {nodes.bytes().begin(), nodes.bytes().end()},
                              .totals = {totals.bytes().begin(), totals.bytes().end()},
                              .incumbent = searched_.incumbent()});
    });
  }
  bool complete_snapshot() override {
    return keeps_going([&] { snapshots_->complete(); });
  }

  /// \return  false if `work` threw: that ends the search
  template <class Work>
  bool keeps_going(Work&& work) {
    try {
      work();
      return true;
    } catch (const std::exception& e) {
      ended_ = {.reason = e.what()};
      return false;
    }
  }

  // Solutions between the ranks.

  /// Gives `solution` to `other`, or gets theirs.
  std::optional<Values> transfer(int other, const std::optional<Values>& solution,
                                 Link::Direction direction) {
    return Link(comm_, blocks_)
        .transfer(other, direction, solution, {.make = app_.traits().solution.make},
                  {0, comm_.size()}, Sizes{});
  }

  /// Combines all ranks' totals, on rank 0, along a binomial tree.
  void fold(std::optional<Values>& mine) {
    for (const int child : binomial_children(comm_.rank(), comm_.size())) {
      auto theirs = transfer(child, std::nullopt, Link::Direction::in);
      if (mine && theirs) {
        mine = blocks_.combine(*std::move(mine), *std::move(theirs), Sizes{}, {0, comm_.size()},
                               Kept(1));
      }
    }
    if (comm_.rank() > 0) {
      transfer(binomial_parent(comm_.rank()), mine, Link::Direction::out);
    }
  }

  /// Rank 0's solution to all, along the same tree.
  void bcast(std::optional<Values>& solution) {
    if (comm_.rank() > 0) {
      solution = transfer(binomial_parent(comm_.rank()), std::nullopt, Link::Direction::in);
    }
    for (const int child : std::views::reverse(binomial_children(comm_.rank(), comm_.size()))) {
      transfer(child, solution, Link::Direction::out);
    }
  }

  const AnyApp& app_;
  Searched& searched_;
  const CallOptions& options_;
  const SearchMessages& comm_;
  Blocks& blocks_;
  const SearchLimits limits_;
  const Clock clock_;
  const std::int64_t offset_ns_;  ///< of that clock to the monotonic one
  std::optional<SnapshotFolder> snapshots_;
  std::optional<EndedEarly> ended_;  ///< why this rank wants an end
  std::int64_t begin_ns_ = 0;
  std::vector<std::shared_ptr<Errand>> helpers_;
};

/// \throws Error  if work stealing is not for so many threads, or not for the placement
void require_stealing(const CallOptions& options, const AppTraits& traits) {
  const int threads = options.stealing.threads;
  if (threads < 1 || threads > StealingOptions::kMaxThreads) {
    throw Error(fmt::format("work stealing has 1 to {} threads of a rank, not {}",
                            StealingOptions::kMaxThreads, threads));
  }
  if (options.placement == Placement::distributed) {
    throw Error("placement distributed is not for work stealing: take rooted or replicated");
  }
  if (options.checkpoint && !traits.searches) {
    throw Error("snapshots are for applications with `visit`");
  }
}

}  // namespace

ErasedValue search(const AnyApp& app, const std::function<std::unique_ptr<Searched>()>& make,
                   const Given& given, const CallOptions& options, const SearchMessages& ranks) {
  require_stealing(options, app.traits());
  Blocks blocks(app, options);
  // No protocol is there yet in which a rank without memory, or one whose problem or solution
  // cannot be made, could tell the others.
  std::optional<ErasedValue> problem;
  if (ranks.rank() == 0) {
    problem = blocks.attempt("Problem", Level{}, given);
  }
  std::unique_ptr<Searched> searched;
  std::optional<RankSearch> rank;
  blocks.attempt("begin", Level{}, [&] {
    searched = make();
    return &rank.emplace(app, *searched, options, ranks, blocks);
  });
  agree_on_failure(ranks, blocks);
  return rank->solve(std::move(problem));
}

ErasedValue steal_long_tasks(const AnyApp& app, const Given& given, const CallOptions& options,
                             const SearchMessages& ranks) {
  return search_by<ForkJoin<AnyApp>>(app, app, given, options, ranks);
}

}  // namespace cleave::detail
