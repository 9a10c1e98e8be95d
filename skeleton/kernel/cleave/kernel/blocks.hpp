// SPDX-License-Identifier: Apache-2.0
// Runs an application's functors one block at a time. Each is timed and traced with its sizes.
// Whatever it throws is kept as this rank's failure instead of leaving the other ranks waiting. So
// is what moving its argument or its result throws, and what its sizes do.
//
// The hypercube divides a list of problems in halves. The list of one is divided, a longer one is
// cut in two by the ranks of each half. Solutions are lists too,
// joined until a whole division is there and then combined
// (docs/explanation/design/0004-more-than-two-halves.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/erased_value.hpp>
#include <cleave/options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// The limits of one rank's search, or of all of one rank.
inline SearchLimits limits_of(const StealingOptions& options) {
  return {.nodes = options.max_nodes,
          .seconds = options.max_s,
          .stop = options.stop,
          .ended_early = options.ended_early};
}

/// A functor of the application threw; which one.
struct BlockFailed : Error {
  BlockFailed(std::string failed_block, const std::string& message)
      : Error(message), block(std::move(failed_block)) {}
  std::string block;
};

/// BlockFailed of the exception that is being handled.
[[noreturn]] void throw_block_failed(const char* name);

/// Calls a functor as part of a greater block; what it throws becomes BlockFailed. Inlined: a call
/// costs a small task a third of its time.
template <class Work>
[[gnu::always_inline]] inline auto in_functor(const char* name, Work&& work) {
  try {
    return work();
  } catch (...) {
    throw_block_failed(name);
  }
}

/// The first thing that went wrong on this rank.
struct Failure {
  int level = 0;
  std::string block;
  std::string message;
  std::exception_ptr exception;
};

/// The level of the recursion over ranks that a block runs at.
struct Level {
  int index = 0;  ///< 0 at the root
  int group = 1;  ///< ranks that share the subproblem there
};

/// The first failure of a functor on this rank, by whichever of its threads.
class FirstFailure {
 public:
  bool is_set() const { return is_set_.load(); }
  /// To be read once the threads rest.
  const std::optional<Failure>& failure() const { return failure_; }

  /// Runs `work` and keeps what it throws as the failure of `name`.
  template <class Work>
  auto attempt(std::string_view name, Level level, Work&& work) -> std::optional<decltype(work())> {
    try {
      return work();
    } catch (...) {
      note(name, level);
    }
    return std::nullopt;
  }
  /// \return  whether `work` did not throw
  template <class Work>
  bool guard(std::string_view name, Work&& work) {
    return attempt(name, {}, [&work] { return work(), true; }).has_value();
  }

 private:
  /// Called while the exception is being handled. Later failures are dropped.
  void note(std::string_view block, Level level);

  std::atomic<bool> is_set_ = false;
  std::mutex mutex_;
  std::optional<Failure> failure_;
};

struct NoSizes {
  Sizes operator()(const auto&... /*result*/) const { return {}; }
};

/// Runs pieces of work as blocks, and knows of no application.
class BlockRunner : public FirstFailure {
 public:
  explicit BlockRunner(const CallOptions& options)
      : options_(options), recorder_(options.recorder) {}

  const CallOptions& options() const { return options_; }
  Recorder* recorder() const { return recorder_; }
  /// Makes the call before a block that the options ask for.
  void announce(Block block, Level level) const {
    if (options_.before_block) {
      options_.before_block(block, level.index);
    }
  }

  /// Times `work` as `block`; `sizes` of its result are asked only when a trace is taken.
  template <class Work, class SizesOf = NoSizes>
  auto timed(Block block, Level level, Work&& work, SizesOf&& sizes = {}, std::int64_t bytes = 0) {
    const ThreadMoment begin = recorder_ != nullptr ? recorder_->begin() : 0;
    const auto record = [&](const auto&... result) {
      if (recorder_ != nullptr) {
        const ThreadMoment end = recorder_->end(begin);
        recorder_->record(block, level.index, level.group, begin, end, bytes, sizes(result...));
      }
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      record();
    } else {
      auto result = work();
      record(result);
      return result;
    }
  }

  /// Announced, timed, and kept from throwing.
  template <class Work, class SizesOf>
  auto run(std::string_view name, Block block, Level level, Work&& work, SizesOf&& sizes,
           std::int64_t bytes = 0) {
    return attempt(name, level, [&] {
      return timed(
          block, level,
          [&] {
            announce(block, level);
            return work();
          },
          sizes, bytes);
    });
  }
  template <class Work, class SizesOf>
  auto run(Block block, Level level, Work&& work, SizesOf&& sizes) {
    return run(name_of(block), block, level, work, sizes);
  }

 private:
  const CallOptions& options_;
  Recorder* recorder_;
};

class AnyApp;

/// The problems that the ranks of a group keep until they combine, as `divide` has left them: each
/// the only part of the one before it; none where a list was cut.
using Kept = Values;

/// Solves a problem in place of `sequential`.
using Solver = std::function<ErasedValue(ErasedValue problem)>;

/// The functors as blocks on lists. Each returns nothing if it failed, now or earlier. Sizes are
/// sums over a list, and empty where no trace is taken; `sizes` are those of the problem.
class Blocks : public BlockRunner {
 public:
  /// Refers to the application. \param solver  may be empty
  Blocks(const AnyApp& app, const CallOptions& options, Solver solver = nullptr)
      : BlockRunner(options), app_(app), solver_(std::move(solver)) {}

  std::optional<bool> trivial(const Values& problem, Level level);
  /// A trivial problem that is the only part of another goes to the left, and nothing to the right.
  /// \param kept  for `combine`
  std::optional<Halves<Values>> divide(Values problem, Share share, const Sizes& sizes, Level level,
                                       Kept& kept);
  std::optional<Values> conquer(Values problem, Level level);
  /// Solves a whole subproblem on this rank: by `conquer` if it is trivial, else by the solver, by
  /// `sequential`, by a search or by recursion, whichever there is first.
  std::optional<Values> solve(Values problem, Level level);
  std::optional<Values> combine(Values left, Values right, const Sizes& sizes, Level level,
                                const Kept& kept);
  /// The solution that a rank gets where it is for another one.
  std::optional<Values> no_solution();

  Sizes problem_sizes(const Values& problem, Level level = {});
  Sizes solution_sizes(const Values& solution, Level level = {});
  void add_run_sizes(const Sizes& sizes);

  /// Why a search with this total must end, where it has more nodes than the call allows.
  std::string refusal_of(const ErasedValue& total);

 private:
  bool is_trivial(const Values& list) const;
  std::optional<Values> solve_each(Block block, Values list, Level level, const Solver& solver);

  const AnyApp& app_;
  const Solver solver_;
  WorkerSlot slot_;  ///< of the calling thread
};

}  // namespace cleave::detail
