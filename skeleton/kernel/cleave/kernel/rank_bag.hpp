// SPDX-License-Identifier: Apache-2.0
// One rank's part of a bag (bag.hpp), whatever its nodes are: which of its workers are active, what
// they are told, and its end of the protocol (balancer.hpp), which the first worker speaks.
//
// A rank is passive where `active_` is 0: the number of workers that have or may get hold of a
// node. A worker counts itself in before it tries to steal and out once it has found its deque
// empty, so the thief covers nodes on their way between two deques. An idle one that sees nothing
// to steal does not even try. So the count comes to rest at 0.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cleave/comm/transport.hpp>
#include <cleave/hosts.hpp>
#include <cleave/kernel/balancer.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/segments.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/span.hpp>

namespace cleave::detail {

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
  std::int64_t nodes_before = 0;
  std::optional<Recorder> recorder;
  /// Read by the main thread.
  alignas(kCacheLineBytes) std::atomic<std::int64_t> nodes_seen = 0;

  /// Once it runs dry: takes more nodes next time where those since the last time were few.
  void adapt_steal();
  /// A batch is to take 5 to 20 us. It grows by and by, and shrinks at once where visits have
  /// become longer.
  void adapt_batch(std::int64_t visited, std::int64_t took_ns);
};

class RankBag : protected Workload {
 public:
  /// \param seed  of the choice of victims
  RankBag(AnySegments& segments, std::unique_ptr<Transport> transport, Surroundings surroundings,
          int workers, std::uint64_t seed);

  Worker& worker(int index) { return *workers_[static_cast<std::size_t>(index)]; }

  // Called by all workers.

  bool may_go() const { return commanded() == Command::go; }
  /// Shares some nodes of the calling worker if there is anyone to share with.
  void share(int worker) {
    if (shares_) {
      segments_.share(worker);
    }
  }
  /// Waits until `worker` has a node and may visit it. \return  false once the search has ended
  bool wait_for_nodes(Worker& worker);
  /// A wish for an end before all is done.
  void stop() { is_to_stop_.store(true); }

  // Called by the first worker.

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

  /// Lets all workers begin another search, while they rest.
  void restart();

 protected:
  enum class Command { go, rest, stop };

  void begin_search();
  void set_active(Worker& worker, bool active);
  void command(Command command);
  Command commanded() const { return command_.load(std::memory_order_acquire); }
  bool is_told_to_stop() const { return is_to_stop_.load(std::memory_order_relaxed); }

  /// For helpers that come one by one: each rests until it says that it does no longer.
  void let_helpers_rest() { resting_.store(static_cast<int>(workers_.size()) - 1); }
  void end_rest() { resting_.fetch_sub(1); }
  /// Rests while that, or until something else, is commanded.
  void rest_while_told();
  void rest_until_stopped();

  /// Looks for messages; the less often, the longer there were none, unless ranks wait for their
  /// first work. \return  the time after it
  std::int64_t poll();

  /// Waits until `worker` has nodes or is told something else; the first one answers other ranks
  /// meanwhile. \return  whether it has
  bool look_for_nodes(Worker& worker);

  std::uint8_t wishes() override;

  AnySegments& segments_;
  const std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<Balancer> balancer_;
  FirstFailure failure_;
  std::int64_t next_poll_ns_ = 0;

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
  const Surroundings surroundings_;
  const bool shares_;
  std::atomic<int> resting_ = 0;
  std::int64_t patience_ = 1;
  std::atomic<bool> is_to_stop_ = false;
  alignas(kCacheLineBytes) std::atomic<Command> command_ = Command::go;
  alignas(kCacheLineBytes) std::atomic<int> active_ = 0;
};

}  // namespace cleave::detail
