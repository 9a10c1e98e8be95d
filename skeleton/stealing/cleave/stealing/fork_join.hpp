// SPDX-License-Identifier: Apache-2.0
// The general form of an application on the work-stealing executor: problems are divided, their
// solutions combined in the order of the children. A problem that was divided leaves a frame with a
// place for each child's solution; whoever fills the last place combines them and goes on with the
// frame above. There is no recursion, so any depth will do. Frames stay on the rank that divided;
// the solution of a problem that was stolen by another rank comes back as a parcel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/call_options.hpp>
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
class ForkJoin {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  using Node = Task<Problem>;
  struct Total {};
  using Incumbent = cleave::Incumbent<>;  // that nobody offers anything
  static constexpr bool kVisitsSeveral = false;

  ForkJoin(const App& app, int rank, const CallOptions& options)
      : app_(app), rank_(rank), options_(options) {}

  void visit(Node task, Children<Node>& children, Total& /*total*/, Incumbent& /*incumbent*/) {
    if (in_functor("trivial", [&] { return static_cast<bool>(app_.trivial(task.problem)); })) {
      auto solution =
          in_block(Block::conquer, [&] { return app_.conquer(std::move(task.problem)); });
      bring(std::move(solution), task.destination);
      return;
    }
    auto parts =
        in_block(Block::divide, [&] { return subproblems(app_, std::move(task.problem)); });
    push(parts, task.destination, children);
  }

  Total combine(Total, Total) const { return {}; }
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

  void deliver(std::span<const std::byte> bytes) {
    Unpacker unpacker(bytes);
    const auto destination = wire<Destination>::unpack(unpacker);
    bring(wire<Solution>::unpack(unpacker), destination);
  }

  /// On rank 0, once all is done.
  std::optional<Solution> take_solution() { return std::move(solution_); }

 private:
  struct Frame {
    Destination destination;
    std::vector<std::optional<Solution>> solutions;
    std::atomic<std::size_t> missing;
    typename std::list<Frame>::iterator self{};

    Frame(const Destination& above, std::size_t children)
        : destination(above), solutions(children), missing(children) {}
  };

  template <class Parts>
  void push(Parts& parts, const Destination& destination, Children<Node>& children) {
    Frame* const frame = add_frame(destination, parts.size());
    for (std::size_t i = parts.size(); i-- > 0;) {  // the first child is visited first
      children.push({.problem = std::move(parts[i]),
                     .destination = {.rank = rank_,
                                     .index = static_cast<std::uint32_t>(i),
                                     .frame = reinterpret_cast<std::uint64_t>(frame)}});
    }
  }

  /// Puts a solution where it belongs, and those that become complete by it.
  void bring(Solution solution, Destination destination) {
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
      auto* const frame = reinterpret_cast<Frame*>(destination.frame);
      frame->solutions[destination.index] = std::move(solution);
      if (frame->missing.fetch_sub(1) > 1) {
        return;
      }
      solution = *std::move(frame->solutions.front());
      for (std::size_t i = 1; i < frame->solutions.size(); ++i) {
        solution = in_block(Block::combine, [&] {
          return app_.combine(std::move(solution), *std::move(frame->solutions[i]));
        });
      }
      destination = frame->destination;
      const std::lock_guard guard(frames_mutex_);
      frames_.erase(frame->self);
    }
  }

  Frame* add_frame(const Destination& destination, std::size_t children) {
    const std::lock_guard guard(frames_mutex_);
    Frame& frame = frames_.emplace_front(destination, children);
    frame.self = frames_.begin();
    return &frame;
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
  std::mutex frames_mutex_;
  std::list<Frame> frames_;
  std::mutex parcels_mutex_;
  std::deque<Parcel> parcels_;
};

}  // namespace cleave::detail
