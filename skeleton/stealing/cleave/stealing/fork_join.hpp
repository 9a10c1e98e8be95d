// SPDX-License-Identifier: Apache-2.0
// The general form of an application on the work-stealing executor: problems are divided, their
// solutions combined in the order of the children. A problem that was divided leaves a frame with a
// place for each child's solution; whoever fills the last place combines them and goes on with the
// frame above. There is no recursion, so any depth will do. Frames stay on the rank that divided;
// the solution of a problem that was stolen by another rank comes back as a parcel. Each thread has
// frames of its own, so none of this takes a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/contract/split_deque.hpp>
#include <cleave/stealing/workers.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// Where a solution belongs: child `index` of a frame of `rank`; the whole problem's has frame 0.
struct Destination {
  std::int32_t rank = 0;
  std::uint32_t index = 0;
  std::uint64_t frame = 0;  ///< its address there
};

/// A problem that is still to be solved.
template <class Problem>
struct Task {
  Problem problem;
  Destination destination;
};

template <DivideAndConquer App>
class Frames;

/// A problem that was divided.
template <DivideAndConquer App>
struct alignas(kCacheLineBytes) Frame {
  using Solution = std::optional<typename App::Solution>;

  Destination destination;
  /// Of the children, each once it is there.
  std::conditional_t<HasDivideInMany<App>, std::vector<Solution>, std::array<Solution, 2>>
      solutions;
  /// Kept where `after` is to see it.
  std::conditional_t<HasAfter<App>, std::optional<typename App::Problem>, std::monostate> problem;
  std::atomic<std::size_t> missing = 0;
  Frames<App>* owner = nullptr;
  Frame* next = nullptr;  ///< of those that are not in use
};

/// The frames of one thread, which takes them. All live until the search ends.
template <DivideAndConquer App>
class Frames {
 public:
  Frame<App>* take(const Destination& destination, std::size_t children) {
    if (unused_ == nullptr) {
      unused_ = given_back_.exchange(nullptr, std::memory_order_acquire);
    }
    if (unused_ == nullptr) {
      unused_ = &all_.emplace_back();
      unused_->owner = this;
    }
    Frame<App>* const frame = std::exchange(unused_, unused_->next);
    frame->destination = destination;
    if constexpr (HasDivideInMany<App>) {
      frame->solutions.resize(children);
    }
    frame->missing.store(children, std::memory_order_relaxed);
    return frame;
  }

  /// Lets the owner of `frame` use it again; by the thread of these frames, whose own it need not
  /// be. \pre  it holds no solution any more
  void give_back(Frame<App>* frame) {
    if (frame->owner == this) {
      frame->next = std::exchange(unused_, frame);
      return;
    }
    std::atomic<Frame<App>*>& newest = frame->owner->given_back_;
    frame->next = newest.load(std::memory_order_relaxed);
    while (!newest.compare_exchange_weak(frame->next, frame, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

 private:
  std::deque<Frame<App>> all_;
  Frame<App>* unused_ = nullptr;
  std::atomic<Frame<App>*> given_back_ = nullptr;  ///< by other threads, the newest first
};

template <DivideAndConquer App>
class ForkJoin {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  using Node = Task<Problem>;
  using Total = Frames<App>;              ///< of a thread
  using Incumbent = cleave::Incumbent<>;  // that nobody offers anything

  /// Solves or divides the newest task.
  struct Visitor {
    std::int64_t visit(std::int64_t /*maximum*/, Total& frames, Incumbent& /*incumbent*/) {
      kernel.visit(deque.pop(), deque, frames);
      return 1;
    }
    static bool is_stopped() { return false; }

    ForkJoin& kernel;
    SplitDeque<Node>& deque;
  };

  ForkJoin(const App& app, int rank, const CallOptions& options)
      : app_(app), rank_(rank), options_(options) {}

  Visitor visitor(SplitDeque<Node>& deque) { return {*this, deque}; }

  void visit(Node task, SplitDeque<Node>& deque, Total& frames) {
    if (in_functor("trivial", [&] { return static_cast<bool>(app_.trivial(task.problem)); })) {
      auto solution =
          in_block(Block::conquer, [&] { return app_.conquer(std::move(task.problem)); });
      bring(std::move(solution), task.destination, frames);
      return;
    }
    if constexpr (HasSmall<App>) {
      if (in_functor("small", [&] { return static_cast<bool>(app_.small(task.problem)); })) {
        auto solution =
            in_block(Block::sequential, [&] { return solve_whole(app_, std::move(task.problem)); });
        bring(std::move(solution), task.destination, frames);
        return;
      }
    }
    auto parts = in_block(
        Block::divide, [&] { return subproblems(app_, static_cast<ToDivide<App>>(task.problem)); });
    Frame<App>* const frame = frames.take(task.destination, parts.size());
    if constexpr (HasAfter<App>) {
      frame->problem = std::move(task.problem);
    }
    push(parts, frame, deque);
  }

  std::optional<std::int64_t> nodes(const Total&) const { return std::nullopt; }

  bool next_parcel(Parcel& parcel) {
    const std::lock_guard guard(parcels_mutex_);
    if (parcels_.empty()) {
      return false;
    }
    parcel = std::move(parcels_.front());
    parcels_.pop_front();
    return true;
  }

  void deliver(std::span<const std::byte> bytes, Total& frames) {
    Unpacker unpacker(bytes);
    const auto destination = wire<Destination>::unpack(unpacker);
    bring(wire<Solution>::unpack(unpacker), destination, frames);
  }

  /// On rank 0, once all is done.
  std::optional<Solution> take_solution() { return std::move(solution_); }

 private:
  template <class Parts>
  void push(Parts& parts, Frame<App>* frame, SplitDeque<Node>& deque) {
    for (std::size_t i = parts.size(); i-- > 0;) {  // the first child is visited first
      deque.push_made([&] {
        return Node{.problem = std::move(parts[i]),
                    .destination = {.rank = rank_,
                                    .index = static_cast<std::uint32_t>(i),
                                    .frame = reinterpret_cast<std::uint64_t>(frame)}};
      });
    }
  }

  /// Puts a solution where it belongs, and those that become complete by it.
  void bring(Solution solution, Destination destination, Total& frames) {
    for (;;) {
      if (destination.rank != rank_) {
        Packer packer;
        wire<Destination>::pack(packer, destination);
        wire<Solution>::pack(packer, solution);
        const std::lock_guard guard(parcels_mutex_);
        parcels_.push_back(
            {.to = destination.rank, .bytes = {packer.bytes().begin(), packer.bytes().end()}});
        return;
      }
      if (destination.frame == 0) {
        solution_ = std::move(solution);
        return;
      }
      auto* const frame = reinterpret_cast<Frame<App>*>(destination.frame);
      frame->solutions[destination.index] = std::move(solution);
      if (frame->missing.load(std::memory_order_acquire) > 1 &&
          frame->missing.fetch_sub(1, std::memory_order_acq_rel) > 1) {
        return;
      }
      solution = combined(*frame);
      destination = frame->destination;
      frames.give_back(frame);
    }
  }

  /// The solution of a frame that has all of its children's, which it holds no longer.
  Solution combined(Frame<App>& frame) {
    Combined<App> all;
    Solution solution = in_block(Block::combine, [&] {
      for (auto& of_child : frame.solutions) {
        all.add(app_, *std::exchange(of_child, std::nullopt));
      }
      return all.take(app_);
    });
    if constexpr (HasAfter<App>) {
      const auto problem = std::exchange(frame.problem, std::nullopt);
      return in_functor("after", [&] { return app_.after(*problem, std::move(solution)); });
    } else {
      return solution;
    }
  }

  template <class Work>
  auto in_block(Block block, Work&& work) const {
    return in_functor(name_of(block).data(), [&] {
      if (options_.hooks.before_block) {
        options_.hooks.before_block(block, 0);
      }
      return work();
    });
  }

  const App& app_;
  const int rank_;
  const CallOptions& options_;
  std::optional<Solution> solution_;
  std::mutex parcels_mutex_;
  std::deque<Parcel> parcels_;
};

}  // namespace cleave::detail
