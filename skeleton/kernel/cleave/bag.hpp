// SPDX-License-Identifier: Apache-2.0
// A bag of work that all ranks and threads share, for searches that are written by hand: the
// distributed depth-first bag of Helbecque et al., "DistBag_DFS", with an end of its own
// (docs/reference/bag.md has an example). DC_Type::work_stealing runs on the same (search.cpp).
//
// A worker is a thread of a rank. It takes the element that it added last. Where it has none it
// steals the oldest of another thread's, else half of what another rank has to spare. `take`
// returns nothing once no element is left on any rank and every worker waits for one.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/kernel/balancer.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/segments.hpp>
#include <cleave/options.hpp>
#include <cleave/trace.hpp>
#include <cleave/wire.hpp>

namespace cleave {

namespace detail {

/// The state of one thread that takes nodes of a bag, and how it paces itself.
struct alignas(kCacheLineBytes) Worker {
  int index = 0;
  bool is_active = false;  ///< it has or may get hold of a node
  bool has_failed = false;
  std::size_t steal_next = 1;  ///< nodes, from another worker
  std::int64_t visits_when_dry = 0;
  WorkerStatistics statistics;

  // In a search.
  std::int64_t batch = 1;  ///< visits between two looks up
  std::optional<Recorder> recorder;
  /// Read by the main thread.
  alignas(kCacheLineBytes) std::atomic<std::int64_t> nodes_seen = 0;

  /// Once it runs dry: takes more nodes next time where those since then were few.
  void adapt_steal();
  /// A batch is to take 5 to 20 us. It grows by and by, and shrinks at once where visits are long.
  void adapt_batch(std::int64_t visited, std::int64_t took_ns);
};

/// One rank's part of a bag, whatever its nodes are: which of its workers are active, what they are
/// told, and its end of the protocol (balancer.hpp), which the first worker speaks.
///
/// A rank is passive where `active_` is 0: the number of workers that have or may get hold of a
/// node. A worker counts itself in before it tries to steal and out once it has found its deque
/// empty, so the thief covers nodes on their way between two deques. An idle one that sees nothing
/// to steal does not even try. So the count comes to rest at 0.
class RankBag : protected Workload {
 public:
  /// \param seed     of the choice of victims
  /// \param failure  where what goes wrong is kept, which ends the search
  RankBag(AnySegments& segments, std::unique_ptr<Transport> transport, Surroundings surroundings,
          int workers, std::uint64_t seed, FirstFailure& failure);

  Worker& worker(int index) { return workers_[static_cast<std::size_t>(index)]; }

  // Called by all workers.

  bool may_go() const { return commanded() == Command::go && !is_told_to_stop(); }
  /// Shares some nodes of the calling worker if there is anyone to share with.
  void share(int worker) {
    if (shares_) {
      segments_.share(worker);
    }
  }
  /// Waits until `worker` has a node and may visit it. The first one answers other ranks meanwhile.
  /// \return  false once the search has ended
  bool wait_for_nodes(Worker& worker);
  /// A wish for an end before all is done.
  void stop() { is_to_stop_.store(true); }

  // Called by the first worker.

  std::int64_t now_ns() const { return transport_->pace_ns(); }
  /// Begins the search if it has not begun, and looks for messages if at `now`, of the transport's
  /// pace_ns, it is time to: the less often, the longer there were none, unless ranks wait for
  /// their first work. \return  the time after it
  std::int64_t look_for_messages(std::int64_t now);
  Balancer::Outcome outcome() const {
    return balancer_ ? balancer_->outcome() : Balancer::Outcome::running;
  }
  /// Lets all workers begin another search, while they rest.
  void restart();

 protected:
  enum class Command { go, rest, stop };

  void begin_search();
  void set_active(Worker& worker, bool active);
  void command(Command command);
  Command commanded() const { return command_.load(std::memory_order_acquire); }
  bool is_told_to_stop() const { return is_to_stop_.load(std::memory_order_relaxed); }
  std::uint8_t wishes() override;

  Surroundings surroundings_;
  AnySegments& segments_;
  const std::unique_ptr<Transport> transport_;
  std::deque<Worker> workers_;
  std::optional<Balancer> balancer_;
  FirstFailure& failure_;
  std::atomic<int> resting_ = 0;  ///< workers but the first

 private:
  bool step();
  bool steal(Worker& worker);
  bool passive() final;
  bool wants_work() final;
  std::vector<std::byte> give() final;
  void take(std::span<const std::byte> nodes) final;
  void rest(bool on) final { command(on ? Command::rest : Command::go); }
  bool all_rest() final { return resting_.load() == std::ssize(workers_) - 1; }

  const std::uint64_t seed_;
  const bool shares_;
  std::int64_t patience_ = 1;
  std::int64_t next_poll_ns_ = 0;
  std::atomic<bool> is_to_stop_ = false;
  alignas(kCacheLineBytes) std::atomic<Command> command_ = Command::go;
  alignas(kCacheLineBytes) std::atomic<int> active_ = 0;
};

}  // namespace detail

struct BagOptions {
  int workers = 1;         ///< threads of each rank, each of which takes until nothing comes
  std::uint64_t seed = 1;  ///< of the choice of victims
};

/// \tparam T  what crosses to other ranks (wire.hpp)
template <std::movable T>
  requires Transferable<T>
class Bag {
 public:
  /// Collective. No other bag of the communicator, and no DC_Call on it, may be at work until the
  /// search has ended. With several workers MPI must allow threads (MPI_THREAD_FUNNELED).
  /// Cost: an all-reduce.
  /// \throws Error  on every rank, if a rank has no memory for it, or not 1 to 1024 workers
  explicit Bag(const Comm& comm, const BagOptions& options = {})
      : Bag(std::make_shared<const Comm>(comm), options) {}
  Bag(std::shared_ptr<const detail::SearchMessages> ranks, const BagOptions& options)
      : ranks_(std::move(ranks)) {
    agree(*ranks_, [&] {
      if (options.workers < 1 || options.workers > StealingOptions::kMaxThreads) {
        throw Error("a bag has 1 to " + std::to_string(StealingOptions::kMaxThreads) +
                    " workers of a rank, not " + std::to_string(options.workers));
      }
      segments_ = std::make_unique<detail::Segments<T>>(options.workers);
      failure_ = std::make_unique<detail::FirstFailure>();
      bag_ = std::make_unique<detail::RankBag>(*segments_, ranks_->transport(),
                                               ranks_->surroundings(options.workers),
                                               options.workers, options.seed, *failure_);
    });
    bag_->restart();
  }

  // A worker's, of 0 to workers - 1, each of one thread at a time; worker 0 is the thread that may
  // call MPI. They add before they first take, and between two calls of `take`.

  /// Cost: no atomic operation but a few loads, unless elements are shared. \throws std::bad_alloc
  void add(int worker, T element) {
    segments_->of(worker).push(std::move(element));
    bag_->share(worker);
  }

  /// The newest element of this worker, else one that it steals; it waits for one if need be. Once
  /// it has returned nothing the search has ended for this worker, and does so for all of them.
  /// Worker 0 answers other ranks while it is in this function: they wait for as long as it is not.
  /// Cost: as `add`, and on worker 0 a look at the clock. A local steal takes a lock. A remote one
  /// takes 2 l + g 32 KiB seconds, of which others see nothing.
  /// \throws Error  from worker 0, of MPI; no other rank is told
  /// \throws what a wire has thrown  from worker 0, once the search has ended on every rank: what
  ///                                was to cross is lost, and so is the bag
  std::optional<T> take(int worker) {
    detail::Worker& mine = bag_->worker(worker);
    detail::SplitDeque<T>& deque = segments_->of(worker);
    if (worker == 0) {
      bag_->look_for_messages(bag_->now_ns());
    }
    if (!bag_->may_go() || !deque.has_private()) {
      mine.adapt_steal();
      if (!bag_->wait_for_nodes(mine)) {
        if (worker == 0 && failure_->failure()) {
          std::rethrow_exception(failure_->failure()->exception);
        }
        return std::nullopt;
      }
    }
    ++mine.statistics.visits;
    std::optional<T> element = deque.pop();
    bag_->share(worker);
    return element;
  }

  /// Ends the search of all ranks before all is done, by any thread. What has not been taken stays
  /// in the bag. `take` then gives nothing to the workers of this rank. Each worker still calls it
  /// until nothing comes; one that must leave with an exception does so after that.
  void stop() { bag_->stop(); }

  // Between searches: once `take` has returned nothing to all workers of this rank, or before the
  // first of them. By one thread, collective, without any other that uses the bag.

  /// Whether a rank has stopped the search that has ended. Not collective.
  bool is_stopped() const { return bag_->outcome() == detail::Balancer::Outcome::ended_early; }

  /// Lets all workers take again, what is left and what is added from now on. Cost: as `size`.
  void restart() {
    size();  // nobody begins before all have come
    bag_->restart();
  }

  /// How many elements all ranks have, on every rank. Cost: a gather and a broadcast.
  std::int64_t size() const {
    const auto mine = static_cast<std::int64_t>(segments_->size());
    std::vector<std::int64_t> all(static_cast<std::size_t>(ranks_->size()));
    ranks_->gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return std::stoll(ranks_->bcast(std::to_string(std::reduce(all.begin(), all.end())), 0));
  }

 private:
  std::shared_ptr<const detail::SearchMessages> ranks_;
  std::unique_ptr<detail::Segments<T>> segments_;
  std::unique_ptr<detail::FirstFailure> failure_;
  std::unique_ptr<detail::RankBag> bag_;
};

}  // namespace cleave
