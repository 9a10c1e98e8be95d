// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cstring>
#include <random>
#include <utility>

#include <cleave/kernel/balancer.hpp>

namespace cleave::detail {

namespace {

/// Victims that are asked one after the other before an idle rank begins to wait between requests.
constexpr int kRequestsWithoutPause = 16;
constexpr std::int64_t kFirstPause_ns = 2'000;
constexpr int kMaxDoublings = 8;

/// A rank with work that has had none to spare for so long lets those who wait for it ask others.
constexpr std::int64_t kLongestKept_ns = 1'000'000;

/// Of so many requests, one leaves a circle even where it has other ranks.
constexpr unsigned kRequestsForOneAbroad = 3;

}  // namespace

std::vector<int> binomial_children(int rank, int size) {
  std::vector<int> children;
  for (int step = 1; rank + step < size && (rank & step) == 0; step *= 2) {
    children.push_back(rank + step);
  }
  return children;
}

Balancer::Balancer(Transport& transport, Workload& workload, std::vector<std::vector<int>> circles,
                   std::uint64_t seed)
    : transport_(transport),
      workload_(workload),
      rank_(transport.rank()),
      size_(transport.size()),
      circles_(std::move(circles)),
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
  while (outcome_ == Outcome::running) {
    const std::optional<Message> message = transport_.receive();
    if (!message) {
      break;
    }
    handle(*message);
    handled = true;
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
  answer_wave();
  return handled;
}

void Balancer::handle(const Message& message) {
  Header header;
  assert(message.bytes.size() >= sizeof(header));
  std::memcpy(&header, message.bytes.data(), sizeof(header));
  const std::span payload = std::span(message.bytes).subspan(sizeof(header));
  workload_.offer_incumbent(header.incumbent);
  all_.received += is_of_wave(header.kind) ? 0 : 1;
  switch (header.kind) {
    case Kind::request:
      if (phase_ != Phase::search || !give_to(message.from)) {
        send(message.from, {.kind = Kind::no_work});
      }
      return;
    case Kind::no_work:
      request_is_out_ = false;
      ++failed_requests_;
      if (failed_requests_ > kRequestsWithoutPause) {
        const int doublings = std::min(failed_requests_ - kRequestsWithoutPause, kMaxDoublings);
        next_request_ns_ = transport_.now_ns() + (kFirstPause_ns << doublings);
      }
      return;
    case Kind::work:
      ++work_.received;
      ++statistics_.made;
      request_is_out_ = false;
      failed_requests_ = 0;
      workload_.take(payload);
      return;
    case Kind::parcel:
      ++work_.received;
      workload_.deliver(payload);
      return;
    case Kind::incumbent:
      ++unanswered_.received;
      return;
    case Kind::alarm:
      ++unanswered_.received;
      wishes_ |= header.wishes;
      return;
    case Kind::down:
      if (header.wave > wave_) {
        enter_wave(header);
      }
      return;
    case Kind::up:
      if (header.wave == wave_) {
        ++children_answered_;
        wave_counts_.add({header.sent, header.received});
        wave_wishes_ |= header.wishes;
      }
      return;
  }
}

/// \return  false if there is nothing to give
bool Balancer::give_to(int thief) {
  const std::vector<std::byte> nodes = workload_.give();
  if (nodes.empty()) {
    return false;
  }
  ++work_.sent;
  send(thief, {.kind = Kind::work}, nodes);
  return true;
}

/// Gives to those that wait for their first work, or lets them ask others if this rank has run dry
/// or has had nothing to spare for long.
void Balancer::serve_waiting_thieves() {
  while (!waiting_thieves_.empty() && give_to(waiting_thieves_.back())) {
    waiting_thieves_.pop_back();
  }
  if (!waiting_thieves_.empty() && !may_still_give()) {
    send_waiting_thieves_away();
  }
}

void Balancer::send_waiting_thieves_away() {
  send_to_all(std::exchange(waiting_thieves_, {}), {.kind = Kind::no_work});
}

/// Whether there is sense in waiting for this rank.
bool Balancer::may_still_give() {
  if (rank_ > 0 && statistics_.tried == 1 && request_is_out_) {
    return true;  // it waits for its own first work
  }
  const std::int64_t now_ns = transport_.now_ns();
  keeps_until_ns_ = keeps_until_ns_.value_or(now_ns + kLongestKept_ns);
  return !workload_.passive() && now_ns < *keeps_until_ns_;
}

void Balancer::steal_if_wanted() {
  if (size_ == 1 || request_is_out_ || !workload_.wants_work() ||
      (failed_requests_ > kRequestsWithoutPause && transport_.now_ns() < next_request_ns_)) {
    return;
  }
  request_is_out_ = true;
  ++statistics_.tried;
  send(choose_victim(), {.kind = Kind::request});
}

int Balancer::choose_victim() {
  for (const std::vector<int>& circle : circles_) {
    if (random_() % kRequestsForOneAbroad != 0) {
      return circle[random_() % circle.size()];
    }
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
  unanswered_.sent += std::ssize(children_);
  if (rank_ > 0) {
    send(tree_parent(), {.kind = Kind::incumbent});
    ++unanswered_.sent;
  }
}

void Balancer::send_parcels() {
  for (Parcel parcel; workload_.next_parcel(parcel);) {
    ++work_.sent;
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
    ++unanswered_.sent;
    send(0, {.kind = Kind::alarm, .wishes = wishes});
  }
}

void Balancer::begin_wave(Phase phase, bool done) {
  if (phase != phase_) {
    received_by_last_wave_ = kNoWave;
  }
  enter_wave({.kind = Kind::down,
              .phase = phase,
              .done = static_cast<std::uint8_t>(done ? 1 : 0),
              .wave = wave_ + 1});
}

void Balancer::enter_wave(const Header& down) {
  send_to_all(children_, down);
  if (down.phase != phase_) {
    workload_.rest(down.phase != Phase::search);
    alarm_is_raised_ = false;
  }
  phase_ = down.phase;
  wave_ = down.wave;
  search_is_done_ = phase_ == Phase::drain && down.done != 0;
  answered_ = false;
  children_answered_ = 0;
  snapshot_is_written_ = false;
  wave_counts_ = {};
  wave_wishes_ = kNothing;
  if (phase_ != Phase::search) {
    send_waiting_thieves_away();
  }
  if (phase_ == Phase::finish) {
    outcome_ = down.done != 0 ? Outcome::done : Outcome::ended_early;
  }
}

bool Balancer::ready_to_answer() {
  switch (phase_) {
    case Phase::search:
      return workload_.passive();
    case Phase::drain:
      return workload_.all_rest() && !request_is_out_;
    case Phase::snapshot:
      if (!snapshot_is_written_) {
        snapshot_is_written_ = true;
        if (!workload_.write_snapshot()) {
          wave_wishes_ |= kEnd | kLost;
        }
      }
      return true;
    case Phase::finish:
      break;
  }
  return false;
}

/// Answers the current wave if it can be answered.
void Balancer::answer_wave() {
  if (answered_ || !ready_to_answer() || children_answered_ < children_.size()) {
    return;
  }
  answered_ = true;
  send_parcels();
  const Counts& mine = phase_ == Phase::search ? work_ : search_is_done_ ? unanswered_ : all_;
  wave_counts_.add(mine);
  wave_wishes_ |= workload_.wishes();
  if (rank_ == 0) {
    complete_wave();
    return;
  }
  send(tree_parent(), {.kind = Kind::up,
                       .wishes = wave_wishes_,
                       .wave = wave_,
                       .sent = wave_counts_.sent,
                       .received = wave_counts_.received});
}

void Balancer::complete_wave() {
  wishes_ |= wave_wishes_;
  const std::int64_t received = search_is_done_ ? wave_counts_.received : received_by_last_wave_;
  const bool nothing_is_under_way = wave_counts_.sent == received;
  received_by_last_wave_ = wave_counts_.received;
  if (phase_ == Phase::snapshot) {
    complete_snapshot();
  } else if (!nothing_is_under_way) {
    begin_wave(phase_, all_is_done_);
  } else if (phase_ == Phase::search) {
    all_is_done_ = true;
    begin_wave(Phase::drain, true);
  } else if (!all_is_done_ && (wishes_ & kLost) == 0 && (wishes_ & kSnapshot) != 0) {
    begin_wave(Phase::snapshot);
  } else {
    begin_wave(Phase::finish, all_is_done_);
  }
}

void Balancer::complete_snapshot() {
  if ((wishes_ & kLost) == 0 && !workload_.complete_snapshot()) {
    wishes_ |= kEnd;
  }
  if ((wishes_ & kEnd) != 0) {
    begin_wave(Phase::finish, false);
    return;
  }
  wishes_ = kNothing;
  statistics_.snapshots_ns += transport_.now_ns() - rest_begin_ns_;
  begin_wave(Phase::search);
}

void Balancer::send(int to, Header header, std::span<const std::byte> payload) {
  header.incumbent = workload_.incumbent();
  all_.sent += is_of_wave(header.kind) ? 0 : 1;
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
