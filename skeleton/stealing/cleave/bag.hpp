// SPDX-License-Identifier: Apache-2.0
// A bag of work that all ranks and threads share, for searches that are written by hand: the
// distributed depth-first bag of Helbecque et al., "DistBag_DFS", with an end of its own
// (docs/reference/bag.md). DC_Type::work_stealing runs on the same (workers.hpp).
//
//   Bag<State> bag(comm, {.workers = 2});
//   if (comm.rank() == 0) {
//     bag.add(0, start);
//   }
//   const auto work = [&bag](int worker) {
//     while (const std::optional<State> state = bag.take(worker)) {
//       ...  // bag.add(worker, child) for each of its children
//     }
//   };
//   std::thread second(work, 1);
//   work(0);
//   second.join();
//
// A worker is a thread of a rank. It takes the element that it added last. Where it has none it
// steals the oldest of another thread's, else half of what another rank has to spare. `take`
// returns nothing once no element is left on any rank and every worker waits for one.
//
// The file is long because it says of each member what a user must know.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/mpi_transport.hpp>
#include <cleave/comm/place_workers.hpp>
#include <cleave/comm/waiting.hpp>
#include <cleave/stealing/balancer.hpp>
#include <cleave/stealing/deques.hpp>
#include <cleave/stealing/first_failure.hpp>
#include <cleave/stealing/worker.hpp>
#include <cleave/wire.hpp>

namespace cleave {

struct BagOptions {
  /// Threads of each rank that take from the bag; every one of them must, until nothing comes.
  int workers = 1;
  /// Elements that a worker's deque has room for at first; it doubles when it is full.
  std::size_t initial_capacity = 1024;
  /// By one steal of another rank, but an element at least.
  std::size_t max_stolen_bytes = std::size_t{32} << 10;
  /// Least time between two looks for messages of a rank that has elements.
  std::int64_t poll_ns = 10'000;
  std::uint64_t seed = 1;  ///< of the choice of victims
};

namespace detail {
template <class T>
class BagInstance;
}  // namespace detail

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
      instance_ = std::make_unique<detail::BagInstance<T>>(
          std::make_unique<detail::MpiTransport>(comm),
          detail::surroundings_of(comm, options.workers, false), options);
      for (int i = 0; i < options.workers; ++i) {
        workers_.push_back(std::make_unique<detail::Worker>(comm.rank(), i));
      }
    });
    restart_here();
  }

  // A worker's, of 0 to workers - 1, each of one thread at a time; worker 0 is the thread that may
  // call MPI. They add before they first take, and between two calls of `take`.

  /// Cost: no atomic operation but a few loads, unless elements are to be shared.
  /// \throws std::bad_alloc
  void add(int worker, T element) {
    instance_->deques().of(worker).push(std::move(element));
    instance_->share(worker);
  }

  template <std::ranges::input_range Elements>
  void add_bulk(int worker, Elements&& elements) {
    for (auto&& element : elements) {
      instance_->deques().of(worker).push(std::forward<decltype(element)>(element));
    }
    instance_->share(worker);
  }

  /// The newest element of this worker, else one that it steals; it waits for one if need be. Once
  /// it has returned nothing the search has ended for this worker, and does so for all of them.
  /// Worker 0 answers other ranks while it is in this function: they wait for as long as it is not.
  /// Cost: as `add`, on worker 0 a look at the clock more; a local steal a lock, a remote one
  /// 2 l + g max_stolen_bytes seconds, of which others see nothing.
  /// \throws MpiError               from worker 0; no other rank is told
  /// \throws what a wire has thrown  from worker 0, once the search has ended on every rank: the
  ///                                elements that were to cross are lost, and so is the bag
  std::optional<T> take(int worker) {
    detail::Worker& mine = *workers_[static_cast<std::size_t>(worker)];
    detail::SplitDeque<T>& deque = instance_->deques().of(worker);
    if (worker == 0) {
      instance_->look_for_messages();
    }
    if (!instance_->may_go() || !deque.has_private()) {
      mine.adapt_steal();
      if (!instance_->wait_for_nodes(mine)) {
        return std::nullopt;
      }
    }
    ++mine.statistics.visits;
    std::optional<T> element = deque.pop();
    instance_->share(worker);
    return element;
  }

  /// Ends the search of all ranks before all is done, by any thread. What has not been taken stays
  /// in the bag. Each worker still calls `take` until nothing comes; one that must leave with an
  /// exception does so after that.
  void stop() { instance_->stop(); }

  // Between searches: once `take` has returned nothing to all workers of this rank, or before the
  // first of them. By one thread, collective, without any other that uses the bag.

  /// Whether a rank has stopped the search that has ended. Not collective.
  bool is_stopped() const { return instance_->outcome() == detail::Balancer::Outcome::ended_early; }

  /// Lets all workers take again, what is left and what is added from now on. Cost: a barrier.
  void restart() {
    comm_.barrier();
    restart_here();
  }

  /// How many elements all ranks have, on every rank. Cost: an all-reduce.
  std::int64_t size() const {
    return comm_.allreduce_sum(static_cast<std::int64_t>(instance_->deques().size()));
  }

  /// Whether any rank has `element`, which every rank asks for alike; the same on every rank. Cost:
  /// a look at each element of this rank, and an all-reduce.
  bool contains(const T& element) const
    requires std::equality_comparable<T>
  {
    return comm_.allreduce_max(instance_->deques().contains(element) ? 1 : 0) == 1;
  }

  /// Removes all elements of all ranks. Cost: a barrier.
  void clear() {
    instance_->deques().clear();
    comm_.barrier();
  }

  /// Calls `visitor(const T&)` on rank `root` for every element of all ranks: rank after rank,
  /// oldest first in the deque of each worker. Cost: all elements of the others are sent to
  /// `root`, which holds those of one rank at a time.
  template <std::invocable<const T&> Visitor>
  void for_each(int root, Visitor&& visitor) const {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (rank == root) {
        if (comm_.rank() == root) {
          instance_->deques().for_each(visitor);
        }
      } else if (comm_.rank() == rank) {
        Packer packer;
        instance_->deques().for_each(
            [&packer](const T& element) { detail::pack_element<T>(packer, element); });
        const auto length = static_cast<std::int64_t>(packer.bytes().size());
        comm_.send(root, std::as_bytes(std::span(&length, 1)));
        comm_.send(root, packer.bytes());
      } else if (comm_.rank() == root) {
        std::int64_t length = 0;
        comm_.receive(rank, std::as_writable_bytes(std::span(&length, 1)));
        std::vector<std::byte> bytes(static_cast<std::size_t>(length));
        comm_.receive(rank, bytes);
        for (Unpacker unpacker(bytes); unpacker.left() > 0;) {
          visitor(detail::unpack_element<T>(unpacker));
        }
      }
    }
  }

 private:
  void restart_here() {
    instance_->restart();
    for (const auto& worker : workers_) {
      instance_->set_active(*worker, true);
    }
  }

  Comm comm_;
  std::unique_ptr<detail::BagInstance<T>> instance_;
  std::vector<std::unique_ptr<detail::Worker>> workers_;
};

namespace detail {

/// One rank's part of a bag: its deques, which of its workers are active, what they are told, and
/// its end of the protocol (balancer.hpp), which the first worker speaks.
///
/// Whether a rank is passive is told by `active_`, the number of workers that have or may get hold
/// of a node. A worker counts itself in before it tries to steal and out once it has found its
/// deque empty, so nodes on their way between two deques are covered by the thief. An idle one
/// that sees nothing to steal does not even try. So the count comes to rest at 0.
template <class T>
class BagInstance : protected Workload {
 public:
  BagInstance(std::unique_ptr<Transport> transport, Surroundings surroundings,
              const BagOptions& options)
      : transport_(std::move(transport)),
        deques_(options.workers, options.initial_capacity),
        options_(options),
        surroundings_(std::move(surroundings)),
        shares_(options.workers > 1 || transport_->size() > 1) {}

  Deques<T>& deques() { return deques_; }
  const Deques<T>& deques() const { return deques_; }

  // What all workers call.

  bool may_go() const { return commanded() == Command::go; }

  /// Shares some of what `worker`, who calls, has if there is anyone to take it.
  void share(int worker) {
    if (shares_) {
      deques_.share(worker);
    }
  }

  void set_active(Worker& worker, bool active) {
    if (worker.is_active != active) {
      worker.is_active = active;
      active_.fetch_add(active ? 1 : -1);
    }
  }

  /// Waits until `worker` has a node and may visit it. \return  false once the search has ended
  bool wait_for_nodes(Worker& worker) {
    while (!look_for_nodes(worker)) {
      if (worker.index == 0) {
        command(Command::stop);
        if (failure_.get()) {
          std::rethrow_exception(failure_.get()->exception);
        }
        return false;
      }
      if (commanded() == Command::stop) {
        return false;
      }
      rest_while_told();
    }
    return true;
  }

  /// A wish for an end before all is done.
  void stop() { is_to_stop_.store(true); }
  bool is_told_to_stop() const { return is_to_stop_.load(std::memory_order_relaxed); }

  // What the first worker calls.

  /// Begins a search.
  void begin_search() {
    balancer_.emplace(*transport_, static_cast<Workload&>(*this), surroundings_.near,
                      options_.seed);
  }

  /// Begins the search if it has not begun, and looks for messages if it is time to.
  void look_for_messages() {
    if (!balancer_) {
      begin_search();
    }
    if (transport_->pace_ns() >= next_poll_ns_) {
      poll();
    }
  }

  Balancer::Outcome outcome() const {
    return balancer_ ? balancer_->outcome() : Balancer::Outcome::running;
  }

  /// Lets another search begin, while the workers rest.
  void restart() {
    balancer_.reset();
    is_to_stop_.store(false);
    next_poll_ns_ = 0;
    command(Command::go);
  }

 protected:
  enum class Command { go, rest, stop };

  void command(Command command) {
    command_.store(command, std::memory_order_seq_cst);
    command_.notify_all();
  }
  Command commanded() const { return command_.load(std::memory_order_acquire); }

  /// For helpers that come one by one: each rests until it says that it does no longer.
  void let_helpers_rest() { resting_.store(options_.workers - 1); }
  void end_rest() { resting_.fetch_sub(1); }

  void rest_while_told() {
    resting_.fetch_add(1);
    command_.wait(Command::rest);
    resting_.fetch_sub(1);
  }

  /// Until the search has ended.
  void rest_until_stopped() {
    resting_.fetch_add(1);
    for (Command now = commanded(); now != Command::stop; now = commanded()) {
      command_.wait(now);
    }
    resting_.fetch_sub(1);
  }

  /// Looks for messages; the less often, the longer there were none, unless ranks wait for their
  /// first work. \return  the time after it
  std::int64_t poll() {
    constexpr std::int64_t kMaxPatience = 8;
    patience_ =
        step() ? std::max<std::int64_t>(patience_ / 2, 1) : std::min(2 * patience_, kMaxPatience);
    const std::int64_t now = transport_->pace_ns();
    next_poll_ns_ = balancer_->is_waited_for() ? now : now + patience_ * options_.poll_ns;
    return now;
  }

  /// Waits until `worker` has nodes or is told something else; the first one answers other ranks
  /// meanwhile. \return  whether it has
  bool look_for_nodes(Worker& worker) {
    const bool is_main = worker.index == 0;
    if (!worker.has_failed && !deques_.of(worker.index).has_private()) {
      set_active(worker, false);
    }
    std::optional<Waiting> waiting;  // for messages, unless another worker has nodes
    if (is_main) {
      waiting.emplace();
    }
    for (int tries = 0;; ++tries) {
      if (may_go() && !worker.has_failed && (worker.is_active || steal(worker))) {
        return true;
      }
      if (is_main) {
        tries = step() ? 0 : tries;
        if (outcome() != Balancer::Outcome::running) {
          return false;
        }
      } else if (!may_go()) {
        return false;
      }
      transport_->pause(tries, surroundings_.is_polite);
    }
  }

  std::uint8_t wishes() override {
    return failure_.is_set() ? kEnd | kLost : is_to_stop_.load() ? kEnd : kNothing;
  }

  void take(std::span<const std::byte> nodes) override {
    failure_.guard("steal", [&] { deques_.take(nodes); });
  }

  const std::unique_ptr<Transport> transport_;
  Deques<T> deques_;
  std::optional<Balancer> balancer_;
  FirstFailure failure_;
  std::int64_t next_poll_ns_ = 0;

 private:
  bool step() {
    try {
      return balancer_->step();
    } catch (...) {
      command(Command::stop);  // nobody else ends the waits of the others
      throw;
    }
  }

  bool steal(Worker& worker) {
    if (!deques_.can_be_stolen_from(worker.index)) {
      return false;
    }
    set_active(worker, true);
    ++worker.statistics.local_tried;
    std::size_t stolen = 0;
    failure_.guard("steal", [&] { stolen = deques_.steal(worker.index, worker.steal_next); });
    if (stolen == 0) {
      set_active(worker, false);
      return false;
    }
    ++worker.statistics.local_made;
    worker.statistics.nodes_stolen += static_cast<std::int64_t>(stolen);
    return true;
  }

  bool passive() final {
    return !failure_.is_set() && deques_.inbox_is_empty() && active_.load() == 0;
  }

  bool wants_work() final {
    return active_.load(std::memory_order_relaxed) < options_.workers && !failure_.is_set() &&
           !deques_.can_be_stolen_from(-1);
  }

  std::vector<std::byte> give() final {
    std::vector<std::byte> nodes;
    failure_.guard("steal", [&] { nodes = deques_.give(options_.max_stolen_bytes); });
    return nodes;
  }

  void rest(bool on) final { command(on ? Command::rest : Command::go); }
  bool all_rest() final { return resting_.load() == options_.workers - 1; }

  const BagOptions options_;
  const Surroundings surroundings_;
  const bool shares_;
  std::atomic<int> resting_ = 0;
  std::int64_t patience_ = 1;
  std::atomic<bool> is_to_stop_ = false;
  alignas(kCacheLineBytes) std::atomic<Command> command_ = Command::go;
  alignas(kCacheLineBytes) std::atomic<int> active_ = 0;
};

}  // namespace detail

}  // namespace cleave
