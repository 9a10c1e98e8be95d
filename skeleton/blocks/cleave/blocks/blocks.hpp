// SPDX-License-Identifier: Apache-2.0
// Runs an application's functors one block at a time. Each is timed and traced with its sizes.
// Whatever it throws is kept as this rank's failure instead of leaving the other ranks waiting. So
// is what moving its argument or its result throws, and what its sizes do.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/in_functor.hpp>
#include <cleave/blocks/in_halves.hpp>
#include <cleave/error.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// The first thing that went wrong on this rank.
struct Failure {
  int level = 0;
  std::string block;
  std::string message;
  std::exception_ptr exception;
};

/// Of the exception that is being handled: that of a functor where it tells one, else of `block`.
Failure failure_of_exception(int level, std::string_view block);

template <HasProblemAndSolution App>
Sizes sizes_of_problem(const App& app, const typename App::Problem& problem) {
  if constexpr (HasProblemSizes<App>) {
    return app.sizes(problem);
  } else {
    return {};
  }
}

template <HasProblemAndSolution App>
Sizes sizes_of_solution(const App& app, const typename App::Solution& solution) {
  if constexpr (HasSolutionSizes<App>) {
    return app.solution_sizes(solution);
  } else {
    return {};
  }
}

/// The level of the recursion over ranks that a block runs at.
struct Level {
  int index = 0;  ///< 0 at the root
  int group = 1;  ///< ranks that share the subproblem there
};

/// What solves a rank's own part in place of `sequential`; empty for that.
template <class App>
using Leaf = std::function<typename App::Solution(typename App::Problem)>;

/// Runs pieces of work as blocks, and knows of no application.
class BlockRunner {
 public:
  explicit BlockRunner(const CallOptions& options)
      : options_(options), recorder_(options.recorder) {}

  const std::optional<Failure>& failure() const { return failure_; }
  /// Takes over what went wrong outside these blocks, if anything did, and nothing has here.
  void take_failure(const std::optional<Failure>& failure) {
    if (!failure_) {
      failure_ = failure;
    }
  }

  /// Times `work` as `block`; `sizes` and `bytes` are asked only when a trace is taken.
  template <class Work, class SizesOf>
  auto timed(Block block, Level level, Work&& work, SizesOf&& sizes, std::int64_t bytes = 0) {
    const std::int64_t begin_ns = now_ns();
    auto result = work();
    if (recorder_ != nullptr) {
      record(block, level, begin_ns, now_ns(), bytes, sizes(result));
    }
    return result;
  }

  /// Runs `work` between the calls that the options ask for.
  template <class Work>
  auto watched(Block block, Level level, Work&& work) {
    before(block, level);
    auto result = work();
    after(block, level);
    return result;
  }

  /// Runs `work` and keeps what it throws as the failure of `name`.
  template <class Work>
  auto attempt(std::string_view name, Level level, Work&& work) -> std::optional<decltype(work())> {
    try {
      return work();
    } catch (...) {
      fail(level, name);
    }
    return std::nullopt;
  }

  /// All of these: watched, timed, and kept from throwing. One function, since each of a program's
  /// blocks is compiled.
  template <class Work, class SizesOf>
  auto run(std::string_view name, Block block, Level level, Work&& work, SizesOf&& sizes,
           std::int64_t bytes = 0) -> std::optional<decltype(work())> {
    try {
      const std::int64_t begin_ns = now_ns();
      before(block, level);
      auto result = work();
      after(block, level);
      if (recorder_ != nullptr) {
        record(block, level, begin_ns, now_ns(), bytes, sizes(result));
      }
      return result;
    } catch (...) {
      fail(level, name);
    }
    return std::nullopt;
  }

  Recorder* recorder() const { return recorder_; }

 protected:
  const CallOptions& options() const { return options_; }

 private:
  /// By the recorder; 0 without one.
  std::int64_t now_ns() const;
  void record(Block block, Level level, std::int64_t begin_ns, std::int64_t end_ns,
              std::int64_t bytes, const Sizes& sizes);
  void before(Block block, Level level) const;
  void after(Block block, Level level) const;
  /// Called while the exception is being handled.
  void fail(Level level, std::string_view name);

  const CallOptions& options_;
  Recorder* recorder_;
  std::optional<Failure> failure_;
};

/// The functors of `App` as blocks. Each returns nothing if it failed, now or earlier.
template <HasProblemAndSolution App>
class Blocks : public BlockRunner {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  Blocks(const App& app, const CallOptions& options, Leaf<App> leaf = nullptr)
      : BlockRunner(options), app_(app), leaf_(std::move(leaf)) {}

  std::optional<bool> trivial(const Problem& problem, Level level) {
    return attempt("trivial", level, [&] { return static_cast<bool>(app_.trivial(problem)); });
  }

  /// \param sizes  the problem's
  /// \param kept   for `combine`
  std::optional<Halves<Problem>> divide(Problem&& problem, Share share, const Sizes& sizes,
                                        Level level, KeptOf<App>& kept) {
    return functor(
        Block::divide, level, [&] { return divide_keeping(app_, std::move(problem), share, kept); },
        [&sizes](const Halves<Problem>&) { return sizes; });
  }

  /// Solves a whole subproblem on this rank: by `conquer` if it is trivial, else by the leaf, by
  /// `sequential`, by a search or by recursion, whichever there is first.
  std::optional<Solution> solve(Problem&& problem, Level level) {
    const std::optional<bool> is_trivial = trivial(problem, level);
    if (!is_trivial) {
      return std::nullopt;
    }
    if (*is_trivial) {
      return conquer(std::move(problem), level);
    }
    const Sizes sizes = problem_sizes(problem, level);
    return functor(
        Block::sequential, level,
        [&] {
          if (leaf_) {
            return leaf_(std::move(problem));
          }
          if constexpr (HasSequential<App>) {
            return app_.sequential(std::move(problem));
          } else if constexpr (TreeSearch<App>) {
            return search_sequentially(app_, std::move(problem), limits_of(options().stealing));
          } else {
            return solve_sequential(app_, std::move(problem));
          }
        },
        [&](const Solution& solution) { return with_solution(sizes, solution, level); });
  }

  std::optional<Solution> conquer(Problem&& problem, Level level) {
    const Sizes sizes = problem_sizes(problem, level);
    return functor(
        Block::conquer, level, [&] { return app_.conquer(std::move(problem)); },
        [&](const Solution& solution) { return with_solution(sizes, solution, level); });
  }

  /// \param sizes  of the problem that is solved by this
  std::optional<Solution> combine(Solution&& left, Solution&& right, const Sizes& sizes,
                                  Level level, const KeptOf<App>& kept = {}) {
    return functor(
        Block::combine, level,
        [&] { return combine_kept(app_, std::move(left), std::move(right), kept); },
        [&](const Solution& solution) {
          Sizes all = solution_sizes(solution, level);
          all.add(sizes);
          return all;
        });
  }

  auto sample(const Problem& part, std::size_t count, std::uint64_t seed, Level level)
    requires SplitsParts<App>
  {
    return functor(
        Block::sample, level,
        [&] {
          auto samples = app_.sample(std::span(part.data(), part.size()), count, seed);
          if (samples.size() != count) {
            throw Error("sample returned " + std::to_string(samples.size()) + " samples, not " +
                        std::to_string(count));
          }
          return samples;
        },
        [&](const auto& samples) {
          return Sizes{{"N", part.size()}, {"samples", samples.size()}};
        });
  }

  /// On one rank of a group. Its time is part of the block `pivot` of every rank of the group.
  template <class Samples>
  auto splitter(Samples samples, Share share, Level level)
    requires SplitsParts<App>
  {
    return attempt(name_of(Block::pivot), level, [&] {
      return watched(Block::pivot, level, [&] { return app_.splitter(std::move(samples), share); });
    });
  }

  template <class SplitterOfApp>
  std::optional<Cut> partition(Problem& part, const Split<SplitterOfApp>& split, ClassOrder order,
                               Level level)
    requires SplitsParts<App>
  {
    return functor(
        Block::partition, level,
        [&] {
          const Cut cut = app_.partition(std::span(part.data(), part.size()), split, order);
          if (cut.less > part.size() || cut.equal > part.size() - cut.less) {
            throw Error("partition returned a cut of " + std::to_string(cut.less) + " and " +
                        std::to_string(cut.equal) + " elements, the part has " +
                        std::to_string(part.size()));
          }
          return cut;
        },
        [&](const Cut&) {
          return Sizes{{"N", part.size()}};
        });
  }

  /// What a rank gets where the solution is for another one.
  std::optional<Solution> no_solution() {
    return attempt("Solution", Level{}, [] {
      if constexpr (requires { App::no_solution(); }) {
        return App::no_solution();
      } else {
        return Solution{};
      }
    });
  }

  /// The sizes of `problem` if a trace is taken, else none.
  Sizes problem_sizes(const Problem& problem, Level level = {}) {
    if (recorder() == nullptr) {
      return {};
    }
    return attempt("sizes", level, [&] { return sizes_of_problem(app_, problem); })
        .value_or(Sizes{});
  }
  Sizes solution_sizes(const Solution& solution, Level level = {}) {
    if (recorder() == nullptr) {
      return {};
    }
    return attempt("solution_sizes", level, [&] { return sizes_of_solution(app_, solution); })
        .value_or(Sizes{});
  }

  /// Why a search with this total must end, where it has more nodes than the call allows.
  std::string refusal_of(const Solution& total)
    requires TreeSearch<App>
  {
    const auto nodes =
        attempt("solution_sizes", Level{}, [&] { return nodes_of(app_, total).value_or(0); });
    return beyond({.nodes = options().stealing.max_nodes}, nodes.value_or(0), 0).value_or("");
  }

 private:
  template <class Work, class SizesOf>
  auto functor(Block block, Level level, Work&& work, SizesOf&& sizes) {
    return run(name_of(block), block, level, work, sizes);
  }

  Sizes with_solution(Sizes sizes, const Solution& solution, Level level) {
    sizes.add(solution_sizes(solution, level));
    return sizes;
  }

  const App& app_;
  Leaf<App> leaf_;
};

}  // namespace cleave::detail
