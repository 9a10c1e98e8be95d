// SPDX-License-Identifier: Apache-2.0
// The general form of an application by work stealing: problems are divided, their solutions
// combined in the order of the children. A problem that was divided leaves a frame with a place for
// each child's solution. Whoever fills the last place combines them and goes on with the frame
// above. There is no recursion, so any depth will do. Frames stay on the rank that divided; the
// solution of a problem that was stolen by another rank comes back as a parcel. Each thread has
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
#include <cleave/kernel/search.hpp>

namespace cleave::detail {

/// The functors as tasks call them. Those of an AnyApp are in search.cpp.
template <class App>
struct Tasks {
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  static constexpr bool kInMany = HasDivideInMany<App>;
  static constexpr bool kHasAfter = HasAfter<App>;
  /// The solutions of the parts of a problem, each once it is there.
  using Solutions = std::conditional_t<kInMany, std::vector<std::optional<Solution>>,
                                       std::array<std::optional<Solution>, 2>>;

  bool trivial(const Problem& problem) const { return static_cast<bool>(app.trivial(problem)); }
  Solution conquer(Problem&& problem, WorkerSlot& slot) const {
    return detail::conquer(app, std::move(problem), slot);
  }
  auto divide(Problem& problem) const {
    return subproblems(app, static_cast<ToDivide<App>>(problem));
  }
  Solution combine(Solutions& solutions) const {
    return combine_all(app, solutions.size(), [&solutions](std::size_t i) {
      return *std::exchange(solutions[i], std::nullopt);
    });
  }
  Solution after(const Problem& problem, Solution&& solution) const {
    return after_parts(app, problem, std::move(solution));
  }
  static ErasedValue erased(Solution&& solution) {
    return ErasedValue::of<Solution>(std::move(solution));
  }

  static void pack_problem(Packer& packer, const Problem& problem) {
    pack_element<Problem>(packer, problem);
  }
  static Problem unpack_problem(Unpacker& unpacker) { return unpack_element<Problem>(unpacker); }
  static void pack_solution(Packer& packer, const Solution& solution) {
    pack_element<Solution>(packer, solution);
  }
  static Solution unpack_solution(Unpacker& unpacker) { return unpack_element<Solution>(unpacker); }

  const App& app;
};

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

/// A problem that was divided.
template <class App>
struct alignas(kCacheLineBytes) Frame {
  Destination destination;
  typename Tasks<App>::Solutions solutions;
  /// Kept where `after` is to see it.
  std::conditional_t<Tasks<App>::kHasAfter, std::optional<typename App::Problem>, std::monostate>
      problem;
  std::atomic<std::size_t> missing = 0;
  Frame* next = nullptr;  ///< of those that are not in use
};

/// The frames that one thread takes: its own, and others' that are complete. All live to the end.
template <class App>
class Frames {
 public:
  Frame<App>* take(const Destination& destination, std::size_t children) {
    if (unused_ == nullptr) {
      unused_ = &all_.emplace_back();
    }
    Frame<App>* const frame = std::exchange(unused_, unused_->next);
    frame->destination = destination;
    if constexpr (Tasks<App>::kInMany) {
      frame->solutions.resize(children);
    }
    frame->missing.store(children, std::memory_order_relaxed);
    return frame;
  }

  /// \pre  it holds no solution any more
  void give_back(Frame<App>* frame) { frame->next = std::exchange(unused_, frame); }

 private:
  std::deque<Frame<App>> all_;
  Frame<App>* unused_ = nullptr;
};

template <class App>
class ForkJoin {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  using Node = Task<Problem>;
  using Total = Frames<App>;              ///< of a thread
  using Incumbent = cleave::Incumbent<>;  // that nobody offers anything

  struct Wire {
    void pack(Packer& packer, const Node& task) const {
      tasks.pack_problem(packer, task.problem);
      cleave::wire<Destination>::pack(packer, task.destination);
    }
    Node unpack(Unpacker& unpacker) const {
      auto problem = tasks.unpack_problem(unpacker);
      return {std::move(problem), cleave::wire<Destination>::unpack(unpacker)};
    }
    Tasks<App> tasks;
  };

  /// Solves or divides the newest task.
  struct Visitor {
    std::int64_t visit(std::int64_t /*maximum*/, Total& frames, Incumbent& /*incumbent*/) {
      kernel.visit(deque.pop(), deque, frames, slot);
      return 1;
    }
    static bool is_stopped() { return false; }

    ForkJoin& kernel;
    SplitDeque<Node>& deque;
    WorkerSlot& slot;
  };

  ForkJoin(const App& app, int rank, const CallOptions& options)
      : tasks_{app}, rank_(rank), options_(options) {}

  Wire wire() const { return {tasks_}; }
  void begin(ErasedValue problem, SplitDeque<Node>& deque, Total& /*frames*/,
             Incumbent& /*incumbent*/) const {
    if constexpr (std::same_as<Problem, ErasedValue>) {
      deque.push({.problem = std::move(problem), .destination = {}});
    } else {
      deque.push({.problem = problem.template take<Problem>(), .destination = {}});
    }
  }
  Visitor visitor(SplitDeque<Node>& deque, WorkerSlot& slot) { return {*this, deque, slot}; }

  void visit(Node task, SplitDeque<Node>& deque, Total& frames, WorkerSlot& slot) {
    if (in_functor("trivial", [&] { return tasks_.trivial(task.problem); })) {
      auto solution =
          in_block(Block::conquer, [&] { return tasks_.conquer(std::move(task.problem), slot); });
      bring(std::move(solution), task.destination, frames);
      return;
    }
    if constexpr (HasSmall<App>) {
      if (in_functor("small", [&] { return tasks_.small(task.problem); })) {
        auto solution = in_block(Block::sequential,
                                 [&] { return tasks_.whole(std::move(task.problem), slot); });
        bring(std::move(solution), task.destination, frames);
        return;
      }
    }
    auto parts = in_block(Block::divide, [&] { return tasks_.divide(task.problem); });
    Frame<App>* const frame = frames.take(task.destination, parts.size());
    if constexpr (Tasks<App>::kHasAfter) {
      frame->problem = std::move(task.problem);
    }
    push(parts, frame, deque);
  }

  static std::optional<std::int64_t> nodes(const Total&) { return std::nullopt; }

  // A thread's frames are empty at the end.
  static void add(Total& /*total*/, Total&& /*other*/) {}
  static void add(Total& /*total*/, Unpacker& /*unpacker*/) {}
  static void pack(Packer& /*packer*/, const Total& /*total*/) {}
  /// On rank 0, once all is done.
  ErasedValue erased(Total&& /*total*/) {
    return solution_ ? tasks_.erased(*std::move(solution_)) : ErasedValue();
  }

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
    const auto destination = cleave::wire<Destination>::unpack(unpacker);
    bring(tasks_.unpack_solution(unpacker), destination, frames);
  }

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
        cleave::wire<Destination>::pack(packer, destination);
        tasks_.pack_solution(packer, solution);
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
    Solution solution = in_block(Block::combine, [&] { return tasks_.combine(frame.solutions); });
    if constexpr (Tasks<App>::kHasAfter) {
      const auto problem = std::exchange(frame.problem, std::nullopt);
      return in_functor("after", [&] { return tasks_.after(*problem, std::move(solution)); });
    } else {
      return solution;
    }
  }

  template <class Work>
  [[gnu::always_inline]] auto in_block(Block block, Work&& work) const {
    return in_functor(name_of(block).data(), [&] {
      if (options_.before_block) {
        options_.before_block(block, 0);
      }
      return work();
    });
  }

  const Tasks<App> tasks_;
  const int rank_;
  const CallOptions& options_;
  std::optional<Solution> solution_;
  std::mutex parcels_mutex_;
  std::deque<Parcel> parcels_;
};

}  // namespace cleave::detail
