// SPDX-License-Identifier: Apache-2.0
// A bag of work that all ranks and threads share, for searches that are written by hand: the
// distributed depth-first bag of Helbecque et al., "DistBag_DFS", with an end of its own
// (docs/reference/bag.md has an example). DC_Type::work_stealing runs on the same (search.cpp).
//
// A worker is a thread of a rank. It takes the element that it added last. Where it has none it
// steals the oldest of another thread's, else half of what another rank has to spare. `take`
// returns nothing once no element is left on any rank and every worker waits for one.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/hosts.hpp>
#include <cleave/kernel/rank_bag.hpp>
#include <cleave/kernel/segments.hpp>
#include <cleave/wire.hpp>

namespace cleave {

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
  /// \throws Error  on every rank, if a rank has no memory for it or `options.workers` < 1
  explicit Bag(const Comm& comm, const BagOptions& options = {}) : comm_(comm) {
    agree(comm, [&] {
      segments_ = std::make_unique<detail::Segments<T>>(options.workers);
      bag_ = std::make_unique<detail::RankBag>(*segments_, comm.transport(),
                                               comm.surroundings(options.workers), options.workers,
                                               options.seed);
    });
    bag_->restart();
  }

  // A worker's, of 0 to workers - 1, each of one thread at a time; worker 0 is the thread that may
  // call MPI. They add before they first take, and between two calls of `take`.

  /// Cost: no atomic operation but a few loads, unless elements are to be shared.
  /// \throws std::bad_alloc
  void add(int worker, T element) {
    segments_->of(worker).push(std::move(element));
    bag_->share(worker);
  }

  /// The newest element of this worker, else one that it steals; it waits for one if need be. Once
  /// it has returned nothing the search has ended for this worker, and does so for all of them.
  /// Worker 0 answers other ranks while it is in this function: they wait for as long as it is not.
  /// Cost: as `add`, on worker 0 a look at the clock more; a local steal a lock, a remote one
  /// 2 l + g 32 KiB seconds, of which others see nothing.
  /// \throws MpiError               from worker 0; no other rank is told
  /// \throws what a wire has thrown  from worker 0, once the search has ended on every rank: the
  ///                                elements that were to cross are lost, and so is the bag
  std::optional<T> take(int worker) {
    detail::Worker& mine = bag_->worker(worker);
    detail::SplitDeque<T>& deque = segments_->of(worker);
    if (worker == 0) {
      bag_->look_for_messages();
    }
    if (!bag_->may_go() || !deque.has_private()) {
      mine.adapt_steal();
      if (!bag_->wait_for_nodes(mine)) {
        return std::nullopt;
      }
    }
    ++mine.statistics.visits;
    std::optional<T> element = deque.pop();
    bag_->share(worker);
    return element;
  }

  /// Ends the search of all ranks before all is done, by any thread. What has not been taken stays
  /// in the bag. Each worker still calls `take` until nothing comes; one that must leave with an
  /// exception does so after that.
  void stop() { bag_->stop(); }

  // Between searches: once `take` has returned nothing to all workers of this rank, or before the
  // first of them. By one thread, collective, without any other that uses the bag.

  /// Whether a rank has stopped the search that has ended. Not collective.
  bool is_stopped() const { return bag_->outcome() == detail::Balancer::Outcome::ended_early; }

  /// Lets all workers take again, what is left and what is added from now on. Cost: a barrier.
  void restart() {
    comm_.barrier();
    bag_->restart();
  }

  /// How many elements all ranks have, on every rank. Cost: an all-reduce.
  std::int64_t size() const {
    return comm_.allreduce_sum(static_cast<std::int64_t>(segments_->size()));
  }

  /// Calls `visitor(const T&)` for every element of this rank, oldest first in the deque of each
  /// worker. Not collective.
  template <std::invocable<const T&> Visitor>
  void for_each(Visitor&& visitor) const {
    segments_->for_each(visitor);
  }

 private:
  Comm comm_;
  std::unique_ptr<detail::Segments<T>> segments_;
  std::unique_ptr<detail::RankBag> bag_;
};

}  // namespace cleave
