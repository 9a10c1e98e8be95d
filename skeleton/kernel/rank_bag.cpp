// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <utility>

#include <cleave/kernel/rank_bag.hpp>

namespace cleave::detail {

void Worker::adapt_steal() {
  constexpr std::int64_t kFewVisits = 256;
  constexpr std::size_t kMaxStolen = 64;
  const std::int64_t visits = statistics.visits - visits_when_dry;
  visits_when_dry = statistics.visits;
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

RankBag::RankBag(AnySegments& segments, const BagOptions& options,
                 std::unique_ptr<Transport> transport, Surroundings surroundings)
    : segments_(segments),
      transport_(std::move(transport)),
      workers_(options.workers),
      max_stolen_bytes_(options.max_stolen_bytes),
      poll_ns_(options.poll_ns),
      seed_(options.seed),
      surroundings_(std::move(surroundings)),
      shares_(options.workers > 1 || transport_->size() > 1) {}

void RankBag::set_active(Worker& worker, bool active) {
  if (worker.is_active != active) {
    worker.is_active = active;
    active_.fetch_add(active ? 1 : -1);
  }
}

bool RankBag::wait_for_nodes(Worker& worker) {
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

void RankBag::begin_search() {
  balancer_.emplace(*transport_, static_cast<Workload&>(*this), surroundings_.near, seed_);
}

void RankBag::restart() {
  balancer_.reset();
  is_to_stop_.store(false);
  next_poll_ns_ = 0;
  command(Command::go);
}

void RankBag::command(Command command) {
  command_.store(command, std::memory_order_seq_cst);
  command_.notify_all();
}

void RankBag::rest_while_told() {
  resting_.fetch_add(1);
  command_.wait(Command::rest);
  resting_.fetch_sub(1);
}

void RankBag::rest_until_stopped() {
  resting_.fetch_add(1);
  for (Command now = commanded(); now != Command::stop; now = commanded()) {
    command_.wait(now);
  }
  resting_.fetch_sub(1);
}

std::int64_t RankBag::poll() {
  constexpr std::int64_t kMaxPatience = 8;
  patience_ =
      step() ? std::max<std::int64_t>(patience_ / 2, 1) : std::min(2 * patience_, kMaxPatience);
  const std::int64_t now = transport_->pace_ns();
  next_poll_ns_ = balancer_->is_waited_for() ? now : now + patience_ * poll_ns_;
  return now;
}

bool RankBag::look_for_nodes(Worker& worker) {
  const bool is_main = worker.index == 0;
  if (!worker.has_failed && !segments_.has_private(worker.index)) {
    set_active(worker, false);
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

std::uint8_t RankBag::wishes() {
  return failure_.is_set() ? kEnd | kLost : is_to_stop_.load() ? kEnd : kNothing;
}

void RankBag::take(std::span<const std::byte> nodes) {
  failure_.guard("steal", [&] { segments_.take(nodes); });
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
  if (!segments_.can_be_stolen_from(worker.index)) {
    return false;
  }
  set_active(worker, true);
  ++worker.statistics.local_tried;
  std::size_t stolen = 0;
  failure_.guard("steal", [&] { stolen = segments_.steal(worker.index, worker.steal_next); });
  if (stolen == 0) {
    set_active(worker, false);
    return false;
  }
  ++worker.statistics.local_made;
  worker.statistics.nodes_stolen += static_cast<std::int64_t>(stolen);
  return true;
}

bool RankBag::passive() {
  return !failure_.is_set() && segments_.inbox_is_empty() && active_.load() == 0;
}

bool RankBag::wants_work() {
  return active_.load(std::memory_order_relaxed) < workers_ && !failure_.is_set() &&
         !segments_.can_be_stolen_from(-1);
}

std::vector<std::byte> RankBag::give() {
  std::vector<std::byte> nodes;
  failure_.guard("steal", [&] { nodes = segments_.give(max_stolen_bytes_); });
  return nodes;
}

}  // namespace cleave::detail
