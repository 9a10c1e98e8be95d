// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cmath>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <queue>
#include <ranges>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
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

namespace {

/// The stacks of a thread's fibers, for the next ones, too: new ones cost system calls and pages.
struct Stacks : boost::context::protected_fixedsize_stack {
  Stacks() : basic_protected_fixedsize_stack(std::size_t{8} << 20) {}
  boost::context::stack_context allocate() {
    if (kept.empty()) {
      return basic_protected_fixedsize_stack::allocate();
    }
    const auto last = kept.back();
    kept.pop_back();
    return last;
  }
  void deallocate(const boost::context::stack_context& stack) { kept.push_back(stack); }
  static inline thread_local std::vector<boost::context::stack_context> kept;  // until the end
};

/// A function with a stack of its own that takes turns with its caller, on one thread. It does not
/// throw, nor suspend while it handles an exception. Cost of a turn: below 1 us.
class Fiber {
 public:
  /// \throws std::bad_alloc  without address space for its stack, whose pages are taken as used
  explicit Fiber(const std::function<void()>& work)
      : own_(std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_),
             Stacks(), [this, work](boost::context::fiber&& caller) {
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
  boost::context::stack_context stack_ = Stacks().allocate();
  [[maybe_unused]] const void* callers_stack_ = nullptr;
  [[maybe_unused]] std::size_t callers_bytes_ = 0;
  [[maybe_unused]] void* kept_ = nullptr;
  boost::context::fiber caller_;
  boost::context::fiber own_;
};

std::int64_t cost_of(Clock clock) {
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int looks = 0; looks < 100; ++looks) {
    const std::int64_t begin_ns = clock();
    least_ns = std::min(least_ns, clock() - begin_ns);
  }
  return least_ns;
}

std::int64_t thread_time_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The ranks of one run. One of them runs; the others are ready to, or wait for a message.
class Turns {
 public:
  enum class Kind : std::uint8_t { of_call, of_search };

  Turns(int ranks, const VirtualNetwork& network, Clock clock, int heard_by)
      : network_(network),
        clock_(clock),
        heard_by_(heard_by),
        look_ns_(clock != nullptr ? cost_of(clock) : 0),
        ranks_(static_cast<std::size_t>(ranks)) {
    if (ranks > 1) {
      const int on_another = std::min(network.ranks_per_host, ranks - 1);  // or as near as rank 1
      lookahead_ns_ = std::min(network.delay_ns(0, 1, 0), network.delay_ns(0, on_another, 0));
    }
  }

  VirtualRun run(const std::function<void(const SearchMessages&)>& work);
  const VirtualNetwork& network() const { return network_; }
  int size() const { return static_cast<int>(ranks_.size()); }

  /// One rank without a clock takes the time that it takes, and may have threads.
  bool is_real() const { return size() == 1 && clock_ == nullptr; }

  std::int64_t now_ns() {
    look();
    return is_real() ? monotonic_ns() : ranks_[running_].clock_ns;
  }
  void spend(std::int64_t ns) { ranks_[running_].clock_ns += ns; }

  void send(int from, int to, Kind kind, std::span<const std::byte> message) {
    const Pause pause(*this);
    Rank& receiver = ranks_[to];
    std::int64_t arrives_ns = ranks_[from].clock_ns + network_.delay_ns(from, to, message.size()) +
                              (network_.more_ns ? network_.more_ns() : 0);
    const auto newest_first = receiver.inbox | std::views::reverse;
    const auto before = std::ranges::find(newest_first, from, &InFlight::from);
    if (before != newest_first.end()) {
      arrives_ns = std::max(arrives_ns, before->arrives_ns);
    }
    receiver.inbox.insert(
        std::ranges::upper_bound(receiver.inbox, arrives_ns, {}, &InFlight::arrives_ns),
        {arrives_ns, kind, from, Bytes(message.begin(), message.end())});
    if (kind == Kind::of_call && receiver.waits_for == from) {
      wake(to, arrives_ns);
    }
  }

  /// The next message of the call, once it is there.
  Bytes receive(int from, int to) {
    const Pause pause(*this);
    const auto is_next = [from](const InFlight& message) {
      return message.kind == Kind::of_call && message.from == from;
    };
    Rank& me = ranks_[to];
    if (std::ranges::none_of(me.inbox, is_next)) {
      me.waits_for = from;
      switch_away();
    }
    const auto next = std::ranges::find_if(me.inbox, is_next);
    me.clock_ns = std::max(me.clock_ns, next->arrives_ns);
    Bytes message = std::move(next->bytes);
    me.inbox.erase(next);
    if (to == heard_by_) {
      done_.heard.push_back(message);
    }
    return message;
  }

  /// The next message of the search, if one is there once the others have caught up.
  std::optional<Message> poll(int rank) {
    constexpr std::int64_t kPoll_ns = 40;  // a look that finds none, with MPICH
    const Pause pause(*this);
    spend(kPoll_ns);
    fail_with_others();
    Rank& me = ranks_[rank];
    if (!ready_.empty() && me.clock_ns > ready_.top().first + lookahead_ns_) {
      ready_.emplace(me.clock_ns, rank);
      switch_away();
    }
    const auto next = std::ranges::find(me.inbox, Kind::of_search, &InFlight::kind);
    if (next == me.inbox.end() || next->arrives_ns > me.clock_ns) {
      return std::nullopt;
    }
    Message message{.from = next->from, .bytes = std::move(next->bytes)};
    me.inbox.erase(next);
    return message;
  }

 private:
  struct InFlight {
    std::int64_t arrives_ns = 0;
    Kind kind{};
    int from = 0;
    Bytes bytes;
  };
  struct Rank {
    std::unique_ptr<Fiber> fiber;
    std::int64_t clock_ns = 0;
    std::optional<int> waits_for;  ///< a rank, for a message of the call
    std::deque<InFlight> inbox;    ///< in the order of arrival
  };
  /// The clock of the rank that runs stands while this lives.
  struct Pause {
    explicit Pause(Turns& turns) : turns(turns) { turns.look(); }
    ~Pause() { turns.restart_clock(); }
    Turns& turns;
  };

  void restart_clock() { looked_ns_ = clock_ != nullptr ? clock_() : 0; }
  /// The clock of the rank that runs goes on by what `clock_` has since the last look.
  void look() {
    if (clock_ != nullptr) {
      const std::int64_t now_ns = clock_();
      spend(std::max<std::int64_t>(0, now_ns - looked_ns_ - look_ns_));
      looked_ns_ = now_ns;
    }
  }
  void switch_away() {
    ranks_[running_].fiber->suspend();
    fail_with_others();
  }
  void fail_with_others() const {
    if (failure_) {
      throw Error("another rank has failed");
    }
  }
  /// Lets a rank that waits go on at `ns`, or at its own later time.
  void wake(int rank, std::int64_t ns) {
    if (std::exchange(ranks_[rank].waits_for, std::nullopt)) {
      ready_.emplace(std::max(ranks_[rank].clock_ns, ns), rank);
    }
  }

  const VirtualNetwork& network_;
  const Clock clock_;
  const int heard_by_;
  const std::int64_t look_ns_;     ///< of a look at the clock
  std::int64_t lookahead_ns_ = 0;  ///< of the fastest message
  std::vector<Rank> ranks_;
  int running_ = 0;
  std::int64_t looked_ns_ = 0;                                            ///< by `clock_`
  using Ready = std::pair<std::int64_t, int>;                             // clock, rank
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;  ///< but the running one
  VirtualRun done_;
  std::exception_ptr failure_;
};

thread_local Turns* turns_of_thread = nullptr;

class VirtualRank final : public SearchMessages, public Transport {
 public:
  VirtualRank(Turns& turns, int rank) : turns_(turns), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return turns_.size(); }

  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override {
    send(partner, out);
    receive(partner, in);
  }
  void exchange(std::span<const Outbound> out, std::span<const Inbound> in) const override {
    for (const Outbound& message : out) {
      send(message.to, message.bytes);
    }
    for (const Inbound& message : in) {
      receive(message.from, message.bytes);
    }
  }
  void send(int to, std::span<const std::byte> message) const override {
    if (!message.empty()) {
      turns_.send(rank_, to, Turns::Kind::of_call, message);
    }
  }
  void receive(int from, std::span<std::byte> message) const override {
    if (!message.empty()) {
      const Bytes bytes = turns_.receive(from, rank_);
      std::copy_n(bytes.begin(), std::min(bytes.size(), message.size()), message.begin());
    }
  }
  /// In log2(p) rounds: a minimum may count twice.
  void allreduce_min(std::span<std::int64_t> values) const override {
    std::vector<std::int64_t> theirs(values.size());
    for (int step = 1; step < size(); step *= 2) {
      send((rank_ + step) % size(), std::as_bytes(values));
      receive((rank_ - step + size()) % size(), std::as_writable_bytes(std::span(theirs)));
      std::ranges::transform(values, theirs, values.begin(), std::ranges::min);
    }
  }
  std::string bcast(std::string text, int root) const override {
    if (rank_ != root) {
      const Bytes bytes = turns_.receive(root, rank_);
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    for (int other = 1; other < size(); ++other) {
      turns_.send(rank_, (root + other) % size(), Turns::Kind::of_call,
                  std::as_bytes(std::span(text)));
    }
    return text;
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    if (rank_ != 0) {
      return send(0, mine);
    }
    std::ranges::copy(mine, all.begin());
    for (int other = 1; other < size(); ++other) {
      receive(other, all.subspan(static_cast<std::size_t>(other) * mine.size(), mine.size()));
    }
  }
  Surroundings surroundings(int /*threads*/) const override {
    const VirtualNetwork& network = turns_.network();
    std::vector<int> others;
    for (int other = 0; other < size(); ++other) {
      if (other != rank_ && network.host_of(other) == network.host_of(rank_)) {
        others.push_back(other);
      }
    }
    return {.near = std::move(others)};
  }
  std::unique_ptr<Transport> transport() const override {
    return std::make_unique<VirtualRank>(turns_, rank_);
  }

  void send(int to, Bytes bytes) override { turns_.send(rank_, to, Turns::Kind::of_search, bytes); }
  std::optional<Message> receive() override { return turns_.poll(rank_); }
  std::int64_t now_ns() const override { return turns_.now_ns(); }
  std::int64_t pace_ns() const override { return turns_.now_ns(); }
  std::int64_t coarse_ns() const override { return turns_.now_ns(); }
  void pause(int tries, bool /*is_polite*/) override {
    turns_.is_real() ? pause_thread(tries, true) : turns_.spend(pause_ns(tries));
  }

 private:
  Turns& turns_;
  int rank_;
};

VirtualRun Turns::run(const std::function<void(const SearchMessages&)>& work) {
  const auto run_rank = [&](int rank) {
    restart_clock();
    try {
      work(VirtualRank(*this, rank));
    } catch (...) {
      failure_ = failure_ ? failure_ : std::current_exception();
    }
    look();
  };
  for (int rank = 0; rank < size(); ++rank) {
    ranks_[rank].fiber = std::make_unique<Fiber>([&run_rank, rank] { run_rank(rank); });
    ready_.emplace(0, rank);
  }
  Turns* const before = std::exchange(turns_of_thread, this);
  for (int ended = 0; ended < size();) {
    if (ready_.empty() && !failure_) {
      failure_ = std::make_exception_ptr(Error("every rank waits for a message that none sends"));
    }
    for (int rank = 0; failure_ && rank < size(); ++rank) {
      wake(rank, 0);  // to fail, too
    }
    running_ = ready_.top().second;
    ready_.pop();
    Rank& next = ranks_[running_];
    next.fiber->resume();
    if (next.fiber->has_ended()) {
      ++ended;
      done_.elapsed_ns = std::max(done_.elapsed_ns, next.clock_ns);
    }
  }
  turns_of_thread = before;
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  return std::move(done_);
}

}  // namespace

/// The steady clock, less what it was ahead of the thread's own when that was read, if long ago.
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
    const Communication* const found =
        nearest(machine.exchange, of_ranks, 0, leaves_host, machine.provenance.program.empty());
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

VirtualRun run_virtual_ranks(int ranks, const std::function<void(const SearchMessages&)>& work,
                             const VirtualNetwork& network, Clock clock, int heard_by) {
  return Turns(ranks, network, clock, heard_by).run(work);
}

std::int64_t virtual_rank_ns() { return turns_of_thread->now_ns(); }

}  // namespace cleave::detail
