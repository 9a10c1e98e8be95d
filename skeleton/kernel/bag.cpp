// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <cleave/bag.hpp>

namespace cleave::detail {

void Worker::adapt_steal() {
  constexpr std::int64_t kFewVisits = 256;
  constexpr std::size_t kMaxStolen = 64;
  const std::int64_t visits = statistics.visits - std::exchange(visits_when_dry, statistics.visits);
  steal_next = visits < kFewVisits ? std::min(2 * steal_next, kMaxStolen)
                                   : std::max<std::size_t>(steal_next / 2, 1);
}

void Worker::adapt_batch(std::int64_t visited, std::int64_t took_ns) {
  constexpr std::int64_t kShort_ns = 5'000;
  constexpr std::int64_t kLong_ns = 20'000;
  constexpr std::int64_t kMaxBatch = 4096;
  if (took_ns < kShort_ns && visited == batch) {
    batch = std::min(2 * batch, kMaxBatch);
  } else if (took_ns > kLong_ns) {
    batch = std::max<std::int64_t>(visited * kLong_ns / took_ns, 1);
  }
}

RankBag::RankBag(AnySegments& segments, std::unique_ptr<Transport> transport,
                 Surroundings surroundings, int workers, std::uint64_t seed, FirstFailure& failure)
    : surroundings_(std::move(surroundings)),
      segments_(segments),
      transport_(std::move(transport)),
      failure_(failure),
      seed_(seed),
      shares_(workers > 1 || transport_->size() > 1) {
  for (int i = 0; i < workers; ++i) {
    Worker& worker = workers_.emplace_back();
    worker.index = i;
    worker.statistics.rank = transport_->rank();
    worker.statistics.thread = i;
  }
}

void RankBag::set_active(Worker& worker, bool active) {
  if (worker.is_active != active) {
    worker.is_active = active;
    active_.fetch_add(active ? 1 : -1);
  }
}

void RankBag::command(Command command) {
  command_.store(command, std::memory_order_seq_cst);
  command_.notify_all();
}

void RankBag::begin_search() {
  balancer_.emplace(*transport_, static_cast<Workload&>(*this), surroundings_.near, seed_);
}

void RankBag::restart() {
  balancer_.reset();
  is_to_stop_.store(false);
  next_poll_ns_ = 0;
  command(Command::go);
  for (Worker& worker : workers_) {
    set_active(worker, true);
  }
}

std::int64_t RankBag::look_for_messages(std::int64_t now) {
  constexpr std::int64_t kPoll_ns = 10'000;  // at least between two looks of a rank that has nodes
  constexpr std::int64_t kMaxPatience = 8;
  if (!balancer_) {
    begin_search();
  }
  if (now >= next_poll_ns_) {
    patience_ =
        step() ? std::max<std::int64_t>(patience_ / 2, 1) : std::min(2 * patience_, kMaxPatience);
    now = transport_->pace_ns();
    next_poll_ns_ = balancer_->is_waited_for() ? now : now + patience_ * kPoll_ns;
  }
  return now;
}

bool RankBag::wait_for_nodes(Worker& worker) {
  const bool is_main = worker.index == 0;
  if (!worker.has_failed && !segments_.has_private(worker.index)) {
    set_active(worker, false);
  }
  for (int tries = 0; !may_go() || worker.has_failed || !(worker.is_active || steal(worker));
       ++tries) {
    if (is_main) {
      tries = step() ? 0 : tries;
      if (outcome() != Balancer::Outcome::running) {
        command(Command::stop);
        return false;
      }
    } else if (commanded() == Command::stop) {
      return false;
    } else if (commanded() == Command::rest) {
      resting_.fetch_add(1);
      command_.wait(Command::rest);
      resting_.fetch_sub(1);
      tries = 0;
    }
    transport_->pause(tries, surroundings_.is_polite);
  }
  return true;
}

bool RankBag::step() {
  try {
    return balancer_->step();
  } catch (...) {
    command(Command::stop);  // nobody else ends the waits of the others
    throw;
  }
}

bool RankBag::steal(Worker& worker) {
  if (!segments_.has_shared()) {
    return false;
  }
  set_active(worker, true);
  ++worker.statistics.local_tried;
  std::size_t stolen = 0;
  failure_.guard("steal", [&] { stolen = segments_.steal(worker.index, worker.steal_next); });
  set_active(worker, stolen > 0);
  worker.statistics.local_made += stolen > 0 ? 1 : 0;
  worker.statistics.nodes_stolen += static_cast<std::int64_t>(stolen);
  return stolen > 0;
}

// Asked by the balancer.

std::uint8_t RankBag::wishes() {
  return failure_.is_set() ? kEnd | kLost : is_told_to_stop() ? kEnd : kNothing;
}

bool RankBag::passive() {
  return !failure_.is_set() && segments_.inbox_is_empty() && active_.load() == 0;
}

bool RankBag::wants_work() {
  return active_.load(std::memory_order_relaxed) < std::ssize(workers_) && !failure_.is_set() &&
         !segments_.has_shared();
}

std::vector<std::byte> RankBag::give() {
  constexpr std::size_t kMaxStolenBytes = std::size_t{32} << 10;
  std::vector<std::byte> nodes;
  failure_.guard("steal", [&] { nodes = segments_.give(kMaxStolenBytes); });
  return nodes;
}

void RankBag::take(std::span<const std::byte> nodes) {
  failure_.guard("steal", [&] {
    WorkerStatistics& statistics = workers_.front().statistics;
    statistics.nodes_stolen += static_cast<std::int64_t>(segments_.take(nodes));
    statistics.bytes_received += std::ssize(nodes);
  });
}

}  // namespace cleave::detail
