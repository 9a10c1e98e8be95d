// SPDX-License-Identifier: Apache-2.0
// How far a search is, for whoever shows it: visits of all ranks, told once a second, and how many
// there are to be, by a thread that samples the tree (tree_size.hpp). No MPI.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <cleave/contract/segment.hpp>
#include <cleave/stealing/tree_size.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// Of the search that is running; on rank 0. Written and read by different threads.
class SearchWatch {
 public:
  /// What is known of the visits that a search takes.
  struct Size {
    TreeSizeEstimate estimate;
    /// Visits that may have been in vain, since a better incumbent came after them: these come on
    /// top of the estimate.
    double before_incumbent = 0;
  };

  void begin() {
    set_visits(0);
    set_size(std::nullopt);
  }
  void set_visits(std::int64_t visits) { visits_.store(visits, std::memory_order_relaxed); }
  std::int64_t visits() const { return visits_.load(std::memory_order_relaxed); }

  void set_size(const std::optional<Size>& size) {
    const std::lock_guard guard(mutex_);
    size_ = size;
  }
  std::optional<Size> size() const {
    const std::lock_guard guard(mutex_);
    return size_;
  }

 private:
  std::atomic<std::int64_t> visits_ = 0;
  mutable std::mutex mutex_;
  std::optional<Size> size_;
};

/// Samples the tree of a search that is running, in a thread of its own. It takes one part in
/// `kShare` of the time of all workers, and no more than one in `kLeastShare` of that of its core.
template <TreeSearch App>
class TreeSampler {
 public:
  using Node = NodeOf<App>;

  /// \param roots      the nodes that the search begins with
  /// \param workers    of all ranks
  /// \param incumbent  of the search; what the samples find does not go there
  TreeSampler(const App& app, std::vector<Node> roots, std::int64_t workers,
              const Incumbent& incumbent, SearchWatch& watch)
      : app_(app),
        share_(std::max(kShare / workers, kLeastShare)),
        incumbent_(incumbent),
        watch_(watch),
        known_(incumbent.value()),
        children_(stack_),
        size_(std::move(roots), Expand{*this}, kSeed) {}

  ~TreeSampler() {
    if (thread_.joinable()) {
      {
        const std::lock_guard guard(mutex_);
        stops_ = true;
      }
      stopped_.notify_all();
      thread_.join();
    }
  }
  TreeSampler(const TreeSampler&) = delete;
  TreeSampler& operator=(const TreeSampler&) = delete;

  /// Starts the thread: once the search is known to last, since a thread costs more than a short
  /// one. Does nothing where there can be no more threads.
  void start() {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
    }
  }

 private:
  static constexpr std::uint64_t kSeed = 1;
  static constexpr std::int64_t kShare = 300;
  static constexpr std::int64_t kLeastShare = 4;
  static constexpr std::chrono::milliseconds kBetween{50};

  struct Expand {
    TreeSampler& sampler;
    void operator()(Node node, std::vector<Node>& children) const {
      sampler.expand(std::move(node), children);
    }
  };

  void expand(Node node, std::vector<Node>& children) {
    Incumbent of_sample(known_);
    typename App::Solution total{};
    visit(app_, std::move(node), children_, total, of_sample);
    while (!stack_.private_empty()) {
      children.push_back(stack_.pop());
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    try {
      while (!stopped_.wait_for(lock, kBetween, [this] { return stops_; })) {
        sample(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count() /
               share_);
      }
    } catch (...) {  // the search finds it, too, and says so
      watch_.set_size(std::nullopt);
    }
  }

  void sample(std::int64_t budget_ns) {
    if (const std::int64_t value = incumbent_.value(); value != known_) {
      known_ = value;
      before_incumbent_ = static_cast<double>(watch_.visits());
      size_.begin_again();
    }
    const auto left = std::chrono::nanoseconds(budget_ns - spent_ns());
    for (const auto end = std::chrono::steady_clock::now() + left;
         std::chrono::steady_clock::now() < end;) {
      size_.step();
    }
    const auto& estimate = size_.estimate();
    watch_.set_size(estimate ? std::optional(SearchWatch::Size{*estimate, before_incumbent_})
                             : std::nullopt);
  }

  /// Of the processor, by this thread.
  static std::int64_t spent_ns() {
    timespec spent{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return spent.tv_sec * 1'000'000'000 + spent.tv_nsec;
  }

  const App& app_;
  const std::int64_t share_;
  const Incumbent& incumbent_;
  SearchWatch& watch_;
  std::int64_t known_;  ///< the incumbent that the samples go by
  double before_incumbent_ = 0;
  Segment<Node> stack_;
  Children<Node> children_;
  TreeSize<Node, Expand> size_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::thread thread_;  ///< last: it uses all others
};

}  // namespace cleave::detail
