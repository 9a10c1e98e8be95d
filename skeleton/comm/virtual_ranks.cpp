// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cmath>

#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/error.hpp>

// AddressSanitizer is told of each change of stacks.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(kept, stack, bytes)
#define __sanitizer_finish_switch_fiber(kept, stack, bytes)
#endif

namespace cleave::detail {

/// A function with a stack of its own that takes turns with its caller, on one thread. It does not
/// throw, nor suspend while it handles an exception. Cost of a turn: below 1 us.
class Fiber {
  using Stack = boost::context::protected_fixedsize_stack;

 public:
  /// \throws std::bad_alloc  without address space for its stack, whose pages are taken as used
  explicit Fiber(const std::function<void()>& work)
      : own_(std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_),
             Stack(kStackBytes), [this, work](boost::context::fiber&& caller) {
               __sanitizer_finish_switch_fiber(nullptr, &callers_stack_, &callers_bytes_);
               caller_ = std::move(caller);
               work();
               __sanitizer_start_switch_fiber(nullptr, callers_stack_, callers_bytes_);
               return std::move(caller_);
             }) {}

  /// Lets `work` go on until it suspends itself or ends.
  void resume() {
    __sanitizer_start_switch_fiber(&kept_, static_cast<char*>(stack_.sp) - stack_.size,
                                   stack_.size);
    own_ = std::move(own_).resume();
    __sanitizer_finish_switch_fiber(kept_, nullptr, nullptr);
  }
  /// Called by `work`.
  void suspend() {
    [[maybe_unused]] void* kept = nullptr;
    __sanitizer_start_switch_fiber(&kept, callers_stack_, callers_bytes_);
    caller_ = std::move(caller_).resume();
    __sanitizer_finish_switch_fiber(kept, &callers_stack_, &callers_bytes_);
  }
  bool has_ended() const { return !own_; }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{8} << 20;

  boost::context::stack_context stack_ = Stack(kStackBytes).allocate();
  [[maybe_unused]] const void* callers_stack_ = nullptr;
  [[maybe_unused]] std::size_t callers_bytes_ = 0;
  [[maybe_unused]] void* kept_ = nullptr;
  boost::context::fiber caller_;
  boost::context::fiber own_;
};

namespace {

/// A look for messages that finds none, with MPICH.
constexpr std::int64_t kPoll_ns = 40;

thread_local VirtualRanks* ranks_of_thread = nullptr;

/// The time of a look at `clock`: the median of some.
std::int64_t cost_of(Clock clock) {
  constexpr std::size_t kLooks = 101;
  std::array<std::int64_t, kLooks> took{};
  for (std::int64_t& each : took) {
    const std::int64_t begin = clock();
    each = clock() - begin;
  }
  std::ranges::nth_element(took, took.begin() + kLooks / 2);
  return took[kLooks / 2];
}

std::int64_t thread_time_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

/// The steady clock, less what it was ahead of the thread's own when that was last read: after
/// times that are long enough to hold an interruption.
std::int64_t processor_ns() {
  constexpr std::int64_t kShort_ns = 50'000;
  thread_local std::int64_t looked_ns = 0;
  thread_local std::int64_t ahead_ns = 0;
  thread_local std::int64_t latest_ns = 0;
  std::int64_t now_ns = monotonic_ns();
  if (now_ns - looked_ns > kShort_ns) {
    do {  // until nothing comes between the two clocks
      now_ns = monotonic_ns();
      ahead_ns = now_ns - thread_time_ns();
    } while (monotonic_ns() - now_ns > kShort_ns);
  }
  looked_ns = now_ns;
  return latest_ns = std::max(latest_ns, now_ns - ahead_ns);
}

std::int64_t VirtualNetwork::delay_ns(int from, int to, std::size_t bytes) const {
  const Communication& messages = host_of(from) == host_of(to) ? inside : between;
  return std::llround(2e9 * messages.unit_seconds(static_cast<double>(bytes)));
}

VirtualNetwork network_of(const Machine& machine, int ranks, int ranks_per_host) {
  const auto entry = [&](int of_ranks, bool leaves_host) {
    const Communication* found = nullptr;
    for (const auto* const patterns : {&machine.exchange, &machine.alltoallv}) {
      found = found != nullptr ? found
                               : nearest(*patterns, of_ranks, 0, leaves_host,
                                         machine.provenance.program.empty());
    }
    if (found == nullptr) {
      throw UsageError(fmt::format("--network: {} has no l and g {}", machine.name,
                                   leaves_host ? "between hosts: calibrate two hosts, or say by "
                                                 "--ranks-per-host that one holds all ranks"
                                               : "of messages"));
    }
    return *found;
  };
  VirtualNetwork network{.ranks_per_host = ranks_per_host};
  if (ranks_per_host > 1 && ranks > 1) {
    network.inside = entry(std::min(ranks, ranks_per_host), false);
  }
  if (ranks > ranks_per_host) {
    network.between = entry(ranks, true);
  }
  return network;
}

int VirtualMessages::size() const { return static_cast<int>(ranks_.ranks_.size()); }

void VirtualMessages::exchange(int partner, std::span<const std::byte> out,
                               std::span<std::byte> in) const {
  const Comm::Outbound to{partner, out};
  const Comm::Inbound from{partner, in};
  exchange({&to, out.empty() ? 0U : 1U}, {&from, in.empty() ? 0U : 1U});
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
  ranks_.send(rank_, to, VirtualRanks::kOfCall, message);
}

void VirtualMessages::receive(int from, std::span<std::byte> message) const {
  const auto bytes = ranks_.receive(from, rank_);
  std::ranges::copy(std::span(bytes).first(std::min(bytes.size(), message.size())),
                    message.begin());
}

/// In log2(p) rounds: a minimum may count twice.
void VirtualMessages::allreduce_min(std::span<std::int64_t> values) const {
  std::vector<std::int64_t> theirs(values.size());
  for (int step = 1; step < size(); step *= 2) {
    send((rank_ + step) % size(), std::as_bytes(values));
    receive((rank_ - step + size()) % size(), std::as_writable_bytes(std::span(theirs)));
    std::ranges::transform(values, theirs, values.begin(),
                           [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }
}

/// Along a binomial tree.
std::string VirtualMessages::bcast(std::string text, int root) const {
  const int self = (rank_ - root + size()) % size();  // 0 is the root
  const auto real = [&](int rank) { return (rank + root) % size(); };
  int step = 1;
  while (step < size() && (self & step) == 0) {
    step *= 2;
  }
  if (self != 0) {
    const auto bytes = ranks_.receive(real(self - step), rank_);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  for (step /= 2; step > 0; step /= 2) {
    if (self + step < size()) {
      send(real(self + step), std::as_bytes(std::span(text)));
    }
  }
  return text;
}

/// Along a binomial tree, to rank 0.
void VirtualMessages::gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  Bytes of_some(mine.begin(), mine.end());
  for (int step = 1; step < size(); step *= 2) {
    if ((rank_ & step) != 0) {
      send(rank_ - step, of_some);
      return;
    }
    if (rank_ + step < size()) {
      const auto theirs = ranks_.receive(rank_ + step, rank_);
      of_some.insert(of_some.end(), theirs.begin(), theirs.end());
    }
  }
  std::ranges::copy(of_some, all.begin());
}

class VirtualTransport final : public Transport {
 public:
  VirtualTransport(VirtualRanks& ranks, int rank) : ranks_(ranks), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(ranks_.ranks_.size()); }
  void send(int to, std::vector<std::byte> bytes) override {
    ranks_.send(rank_, to, VirtualRanks::kOfSearch, bytes);
  }
  std::optional<Message> receive() override { return ranks_.poll(rank_); }
  std::int64_t now_ns() const override { return VirtualRanks::now_ns(); }
  std::int64_t pace_ns() const override { return VirtualRanks::now_ns(); }
  // Coarse looks are part of the visits, as in a run: they stay the system's.
  void pause(int tries, bool /*is_polite*/) override { ranks_.spend(pause_ns(tries)); }

 private:
  VirtualRanks& ranks_;
  int rank_;
};

std::unique_ptr<Transport> VirtualMessages::transport() const {
  return std::make_unique<VirtualTransport>(ranks_, rank_);
}

Surroundings VirtualMessages::surroundings(int /*threads*/, bool /*is_bound*/) const {
  const VirtualNetwork& network = ranks_.network_;
  std::vector<int> others;
  for (int other = 0; other < size(); ++other) {
    if (other != rank_ && network.host_of(other) == network.host_of(rank_)) {
      others.push_back(other);
    }
  }
  return others.empty() ? Surroundings{} : Surroundings{.near = {std::move(others)}};
}

class VirtualRanks::Pause {
 public:
  explicit Pause(VirtualRanks& ranks) : ranks_(ranks) { ranks_.look(); }
  ~Pause() { ranks_.looked_ns_ = ranks_.clock_ != nullptr ? ranks_.clock_() : 0; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  VirtualRanks& ranks_;
};

VirtualRanks::VirtualRanks(int ranks, VirtualNetwork network, Clock clock, int heard_by)
    : network_(std::move(network)),
      clock_(clock),
      heard_by_(heard_by),
      look_ns_(clock != nullptr ? cost_of(clock) : 0),
      ranks_(static_cast<std::size_t>(ranks)) {
  if (ranks > 1) {
    const int on_another = std::min(network_.ranks_per_host, ranks - 1);  // or as near as rank 1
    lookahead_ns_ = std::min(network_.delay_ns(0, 1, 0), network_.delay_ns(0, on_another, 0));
  }
}

VirtualRanks::~VirtualRanks() = default;

void VirtualRanks::run(const std::function<void(const VirtualMessages&)>& work) {
  const auto run_rank = [&](int rank) {
    looked_ns_ = clock_ != nullptr ? clock_() : 0;
    try {
      work(VirtualMessages(*this, rank));
    } catch (...) {
      failure_ = failure_ ? failure_ : std::current_exception();
    }
    look();
  };
  elapsed_ns_ = 0;
  failure_ = nullptr;
  for (int rank = 0; rank < std::ssize(ranks_); ++rank) {
    ranks_[rank] = {.fiber = std::make_unique<Fiber>([&run_rank, rank] { run_rank(rank); })};
    ready_.emplace(0, rank);
  }
  VirtualRanks* const before = std::exchange(ranks_of_thread, this);
  for (std::size_t ended = 0; ended < ranks_.size();) {
    if (ready_.empty() && !failure_) {
      failure_ = std::make_exception_ptr(Error("every rank waits for a message that none sends"));
    }
    for (int rank = 0; failure_ && rank < std::ssize(ranks_); ++rank) {
      wake(rank);  // to fail, too
    }
    running_ = ready_.top().second;
    ready_.pop();
    Rank& next = ranks_[running_];
    next.fiber->resume();
    if (next.fiber->has_ended()) {
      ++ended;
      elapsed_ns_ = std::max(elapsed_ns_, next.clock_ns);
    }
  }
  ranks_of_thread = before;
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

std::int64_t VirtualRanks::now_ns() {
  VirtualRanks& all = *ranks_of_thread;
  all.look();
  return all.ranks_[all.running_].clock_ns;
}

void VirtualRanks::look() {
  if (clock_ != nullptr) {
    const std::int64_t now_ns = clock_();
    spend(std::max<std::int64_t>(0, now_ns - looked_ns_ - look_ns_));
    looked_ns_ = now_ns;
  }
}

void VirtualRanks::spend(std::int64_t ns) { ranks_[running_].clock_ns += ns; }

void VirtualRanks::switch_away() {
  ranks_[running_].fiber->suspend();
  fail_with_others();
}

void VirtualRanks::fail_with_others() const {
  if (failure_) {
    throw Error("another rank has failed");
  }
}

void VirtualRanks::let_others_catch_up() {
  fail_with_others();
  const std::int64_t clock_ns = ranks_[running_].clock_ns;
  if (!ready_.empty() && clock_ns > ready_.top().first + lookahead_ns_) {
    ready_.emplace(clock_ns, running_);
    switch_away();
  }
}

void VirtualRanks::wake(int rank) {
  if (std::exchange(ranks_[rank].waits_for, std::nullopt)) {
    ready_.emplace(ranks_[rank].clock_ns, rank);
  }
}

void VirtualRanks::send(int from, int to, Kind kind, std::span<const std::byte> message) {
  const Pause pause(*this);
  Rank& receiver = ranks_[to];
  std::deque<InFlight>& queue = receiver.inboxes[kind][from];
  const std::int64_t arrives_ns =
      std::max(ranks_[from].clock_ns + network_.delay_ns(from, to, message.size()),
               queue.empty() ? 0 : queue.back().arrives_ns);
  queue.push_back({arrives_ns, messages_++, Bytes(message.begin(), message.end())});
  if (kind == kOfCall && receiver.waits_for == from) {
    receiver.clock_ns = std::max(receiver.clock_ns, arrives_ns);
    wake(to);
  }
}

Bytes VirtualRanks::take(Rank& rank, Kind kind, int from) {
  const auto queue = rank.inboxes[kind].find(from);
  Bytes bytes = std::move(queue->second.front().bytes);
  queue->second.pop_front();
  if (queue->second.empty()) {
    rank.inboxes[kind].erase(queue);
  }
  return bytes;
}

Bytes VirtualRanks::receive(int from, int to) {
  const Pause pause(*this);
  Rank& me = ranks_[to];
  const auto found = me.inboxes[kOfCall].find(from);
  if (found != me.inboxes[kOfCall].end()) {
    me.clock_ns = std::max(me.clock_ns, found->second.front().arrives_ns);
  } else {
    me.waits_for = from;
    switch_away();
  }
  Bytes message = take(me, kOfCall, from);
  if (to == heard_by_) {
    heard_.push_back(message);
  }
  return message;
}

std::optional<Message> VirtualRanks::poll(int rank) {
  const Pause pause(*this);
  spend(kPoll_ns);
  let_others_catch_up();
  Rank& me = ranks_[rank];
  const auto first = std::ranges::min_element(me.inboxes[kOfSearch], {}, [](const auto& of_sender) {
    const InFlight& oldest = of_sender.second.front();
    return std::pair(oldest.arrives_ns, oldest.number);
  });
  if (first == me.inboxes[kOfSearch].end() || first->second.front().arrives_ns > me.clock_ns) {
    return std::nullopt;
  }
  const int from = first->first;
  return Message{.from = from, .bytes = take(me, kOfSearch, from)};
}

}  // namespace cleave::detail
