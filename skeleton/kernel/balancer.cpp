// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include <cleave/kernel/balancer.hpp>

namespace cleave::detail {

std::vector<int> binomial_children(int rank, int size) {
  std::vector<int> children;
  for (int step = 1; rank + step < size && (rank & step) == 0; step *= 2) {
    children.push_back(rank + step);
  }
  return children;
}

Balancer::Balancer(Transport& transport, Workload& workload, std::vector<int> near,
                   std::uint64_t seed)
    : transport_(transport),
      workload_(workload),
      rank_(transport.rank()),
      size_(transport.size()),
      near_(std::move(near)),
      parent_((rank_ - 1) / kWaveFanOut),
      random_(static_cast<unsigned>(seed * 2654435761U + static_cast<unsigned>(rank_) + 1)),
      request_is_out_(rank_ > 0),
      waiting_thieves_(binomial_children(rank_, size_)),
      announced_incumbent_(workload.incumbent()),
      statistics_{.tried = rank_ > 0 ? 1 : 0} {
  const int first_child = kWaveFanOut * rank_ + 1;
  for (int child = first_child; child < std::min(first_child + kWaveFanOut, size_); ++child) {
    children_.push_back(child);
  }
  if (rank_ == 0) {
    begin_wave(Phase::search);
  }
}

bool Balancer::step() {
  bool handled = false;
  for (std::optional<Message> message;
       outcome_ == Outcome::running && (message = transport_.receive()); handled = true) {
    handle(*message);
  }
  if (outcome_ != Outcome::running) {
    return handled;
  }
  send_parcels();
  if (phase_ == Phase::search) {
    serve_waiting_thieves();
    announce_incumbent();
    steal_if_wanted();
    raise_alarm();
  }
  for (std::optional<Phase> last;
       outcome_ == Outcome::running && std::exchange(last, phase_) != phase_;) {
    answer_wave();
  }
  return handled;
}

void Balancer::handle(const Message& message) {
  Header header;
  assert(message.bytes.size() >= sizeof(header));
  std::memcpy(&header, message.bytes.data(), sizeof(header));
  const std::span payload = std::span(message.bytes).subspan(sizeof(header));
  workload_.offer_incumbent(header.incumbent);
  count(header.kind, &Counts::received);
  switch (header.kind) {
    case Kind::request:
      if (phase_ != Phase::search || !give_to(message.from)) {
        send(message.from, {.kind = Kind::no_work});
      }
      return;
    case Kind::no_work: {
      constexpr int kRequestsWithoutPause = 16;  // then pauses double from 4 to 512 us
      constexpr int kMaxDoublings = 8;
      const int doublings = std::min(++failed_requests_ - kRequestsWithoutPause, kMaxDoublings);
      next_request_ns_ = doublings > 0 ? transport_.now_ns() + (2'000 << doublings) : 0;
      request_is_out_ = false;
      return;
    }
    case Kind::work:
      ++statistics_.made;
      request_is_out_ = false;
      failed_requests_ = 0;
      next_request_ns_ = 0;
      workload_.take(payload);
      return;
    case Kind::parcel:
      workload_.deliver(payload);
      return;
    case Kind::incumbent:
      return;
    case Kind::alarm:
      wishes_ |= header.wishes;
      return;
    case Kind::down:
      if (header.wave > wave_.number) {
        enter_wave(header);
      }
      return;
    case Kind::up:
      if (header.wave == wave_.number) {
        ++wave_.children_answered;
        wave_.counts.add(header.counts);
        wave_.wishes |= header.wishes;
      }
      return;
  }
}

void Balancer::count(Kind kind, std::int64_t Counts::*way) {
  all_.*way += kind < Kind::down ? 1 : 0;
  work_.*way += kind == Kind::work || kind == Kind::parcel ? 1 : 0;
}

/// \return  false if there is nothing to give
bool Balancer::give_to(int thief) {
  const std::vector<std::byte> nodes = workload_.give();
  if (nodes.empty()) {
    return false;
  }
  send(thief, {.kind = Kind::work}, nodes);
  return true;
}

/// Gives to those that wait for their first work, or lets them ask others if this rank has run dry
/// or has had nothing to spare for long.
void Balancer::serve_waiting_thieves() {
  while (!waiting_thieves_.empty() && give_to(waiting_thieves_.back())) {
    waiting_thieves_.pop_back();
  }
  const bool waits_itself = rank_ > 0 && statistics_.tried == 1 && request_is_out_;
  if (waiting_thieves_.empty() || waits_itself) {
    return;
  }
  constexpr std::int64_t kLongestKept_ns = 1'000'000;
  const std::int64_t now_ns = transport_.now_ns();
  keeps_until_ns_ = keeps_until_ns_.value_or(now_ns + kLongestKept_ns);
  if (workload_.passive() || now_ns >= *keeps_until_ns_) {
    send_to_all(std::exchange(waiting_thieves_, {}), {.kind = Kind::no_work});
  }
}

void Balancer::steal_if_wanted() {
  if (size_ == 1 || request_is_out_ || !workload_.wants_work() ||
      (next_request_ns_ > 0 && transport_.now_ns() < next_request_ns_)) {
    return;
  }
  request_is_out_ = true;
  ++statistics_.tried;
  send(choose_victim(), {.kind = Kind::request});
}

int Balancer::choose_victim() {
  if (!near_.empty() && random_() % 3 != 0) {
    return near_[random_() % near_.size()];
  }
  const int other = static_cast<int>(random_() % static_cast<unsigned>(size_ - 1));
  return other < rank_ ? other : other + 1;
}

void Balancer::announce_incumbent() {
  const std::int64_t value = workload_.incumbent();
  if (value >= announced_incumbent_) {
    return;
  }
  announced_incumbent_ = value;
  send_to_all(children_, {.kind = Kind::incumbent});
  if (rank_ > 0) {
    send(parent_, {.kind = Kind::incumbent});
  }
}

void Balancer::send_parcels() {
  for (Parcel parcel; workload_.next_parcel(parcel);) {
    send(parcel.to, {.kind = Kind::parcel}, parcel.bytes);
  }
}

/// Tells rank 0 of wishes that cannot wait until all ranks are passive.
void Balancer::raise_alarm() {
  const std::uint8_t wishes = workload_.wishes();
  if (rank_ == 0) {
    wishes_ |= wishes;
    if (wishes_ != kNothing) {
      rest_begin_ns_ = transport_.now_ns();
      begin_wave(Phase::drain);
    }
  } else if (wishes != kNothing && !alarm_is_raised_) {
    alarm_is_raised_ = true;
    send(0, {.kind = Kind::alarm, .wishes = wishes});
  }
}

void Balancer::begin_wave(Phase phase, bool done) {
  if (phase != phase_) {
    received_by_last_wave_ = kNoWave;
  }
  enter_wave({.kind = Kind::down, .phase = phase, .done = done, .wave = wave_.number + 1});
}

void Balancer::enter_wave(const Header& down) {
  send_to_all(children_, down);
  if (down.phase != phase_) {
    workload_.rest(down.phase != Phase::search);
    alarm_is_raised_ = false;
  }
  phase_ = down.phase;
  wave_ = {.number = down.wave};
  if (phase_ != Phase::search) {
    send_to_all(std::exchange(waiting_thieves_, {}), {.kind = Kind::no_work});
  }
  if (phase_ == Phase::snapshot && !workload_.write_snapshot()) {
    wave_.wishes = kEnd | kLost;
  }
  if (phase_ == Phase::finish) {
    outcome_ = down.done ? Outcome::done : Outcome::ended_early;
  }
}

/// Answers the current wave if it can be answered.
void Balancer::answer_wave() {
  const bool is_ready = phase_ == Phase::search  ? workload_.passive()
                        : phase_ == Phase::drain ? workload_.all_rest() && !request_is_out_
                                                 : phase_ == Phase::snapshot;
  if (wave_.is_answered || !is_ready || wave_.children_answered < children_.size()) {
    return;
  }
  wave_.is_answered = true;
  send_parcels();
  wave_.counts.add(phase_ == Phase::search ? work_ : all_);
  wave_.wishes |= workload_.wishes();
  if (rank_ == 0) {
    complete_wave();
    return;
  }
  send(parent_,
       {.kind = Kind::up, .wishes = wave_.wishes, .wave = wave_.number, .counts = wave_.counts});
}

void Balancer::complete_wave() {
  wishes_ |= wave_.wishes;
  const bool is_lost = (wishes_ & kLost) != 0;
  // Where nobody has sent anything one wave is enough: who was passive then stays so.
  const std::int64_t received = std::exchange(received_by_last_wave_, wave_.counts.received);
  const bool nothing_is_under_way = wave_.counts.sent == 0 || wave_.counts.sent == received;
  if (phase_ == Phase::snapshot) {
    wishes_ |= !is_lost && !workload_.complete_snapshot() ? kEnd : kNothing;
    if ((wishes_ & kEnd) != 0) {
      begin_wave(Phase::finish);
      return;
    }
    wishes_ = kNothing;
    statistics_.snapshots_ns += transport_.now_ns() - rest_begin_ns_;
    begin_wave(Phase::search);
  } else if (!nothing_is_under_way) {
    begin_wave(phase_);
  } else if (phase_ == Phase::search) {
    all_is_done_ = true;
    begin_wave(Phase::drain);
  } else if (!all_is_done_ && !is_lost && (wishes_ & kSnapshot) != 0) {
    begin_wave(Phase::snapshot);
  } else {
    begin_wave(Phase::finish, all_is_done_);
  }
}

void Balancer::send(int to, Header header, std::span<const std::byte> payload) {
  header.incumbent = workload_.incumbent();
  count(header.kind, &Counts::sent);
  std::vector<std::byte> bytes(sizeof(header) + payload.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::copy(payload.begin(), payload.end(), bytes.begin() + sizeof(header));
  transport_.send(to, std::move(bytes));
}

void Balancer::send_to_all(std::span<const int> ranks, const Header& header) {
  for (const int rank : ranks) {
    send(rank, header);
  }
}

}  // namespace cleave::detail
