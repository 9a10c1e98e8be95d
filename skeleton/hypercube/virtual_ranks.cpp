// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include <cleave/error.hpp>
#include <cleave/hypercube/virtual_ranks.hpp>

namespace cleave::detail {

int VirtualMessages::size() const { return static_cast<int>(ranks_.arrived_.size()); }

void VirtualMessages::exchange(int partner, std::span<const std::byte> out,
                               std::span<std::byte> in) const {
  if (!out.empty()) {
    send(partner, out);
  }
  if (!in.empty()) {
    receive(partner, in);
  }
}

void VirtualMessages::exchange(std::span<const Comm::Outbound> out,
                               std::span<const Comm::Inbound> in) const {
  for (const Comm::Outbound& message : out) {
    send(message.to, message.bytes);
  }
  for (const Comm::Inbound& message : in) {
    receive(message.from, message.bytes);
  }
}

void VirtualMessages::send(int to, std::span<const std::byte> message) const {
  ranks_.send(rank_, to, message);
}

void VirtualMessages::receive(int from, std::span<std::byte> message) const {
  const Bytes bytes = ranks_.receive(from, rank_);
  std::ranges::copy(std::span(bytes).first(std::min(bytes.size(), message.size())),
                    message.begin());
}

void VirtualMessages::allreduce_min(std::span<std::int64_t> values) const {
  const auto mine = std::as_writable_bytes(values);
  if (rank_ != 0) {
    send(0, mine);
    return receive(0, mine);
  }
  std::vector<std::int64_t> theirs(values.size());
  for (int other = 1; other < size(); ++other) {
    receive(other, std::as_writable_bytes(std::span(theirs)));
    std::ranges::transform(values, theirs, values.begin(),
                           [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }
  for (int other = 1; other < size(); ++other) {
    send(other, mine);
  }
}

std::string VirtualMessages::bcast(std::string text, int root) const {
  if (rank_ != root) {
    const Bytes bytes = ranks_.receive(root, rank_);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text;
  }
  for (int other = 0; other < size(); ++other) {
    if (other != root) {
      send(other, std::as_bytes(std::span(text)));
    }
  }
  return text;
}

void VirtualRanks::run(const std::function<void(const VirtualMessages&)>& work) {
  const auto run_rank = [&](int rank) {
    const std::lock_guard guard(running_);
    try {
      work(VirtualMessages(*this, rank));
    } catch (...) {
      fail();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (int rank = 0; rank < std::ssize(arrived_); ++rank) {
      threads.emplace_back(run_rank, rank);
    }
  } catch (...) {
    const std::lock_guard guard(running_);
    fail();
  }
  threads.clear();  // joins
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

/// The first failure wakes all that wait, who then fail, too. Called by a rank that runs.
void VirtualRanks::fail() {
  if (!failure_) {
    failure_ = std::current_exception();
    for (std::condition_variable& arrived : arrived_) {
      arrived.notify_all();
    }
  }
}

void VirtualRanks::send(int from, int to, std::span<const std::byte> message) {
  messages_[{from, to}].emplace_back(message.begin(), message.end());
  arrived_[static_cast<std::size_t>(to)].notify_all();
}

Bytes VirtualRanks::receive(int from, int to) {
  std::deque<Bytes>& messages = messages_[{from, to}];
  std::unique_lock running(running_, std::adopt_lock);  // lets others run while it waits
  arrived_[static_cast<std::size_t>(to)].wait(running,
                                              [&] { return !messages.empty() || failure_; });
  running.release();
  if (failure_) {
    throw Error("another rank has failed");
  }
  Bytes message = std::move(messages.front());
  messages.pop_front();
  if (to == heard_by_) {
    heard_.push_back(message);
  }
  return message;
}

}  // namespace cleave::detail
