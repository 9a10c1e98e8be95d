// SPDX-License-Identifier: Apache-2.0
// The run of an application of known types: all of a program that is compiled for each application.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/call.hpp>
#include <cleave/part.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/tree_search.hpp>

namespace cleave {

template <class App>
struct Program;

namespace detail {

/// `Program::application` where it is left out.
template <class App>
std::function<App(const RunOptions&)> default_application() {
  if constexpr (std::default_initializable<App>) {
    return [](const RunOptions&) { return App{}; };
  } else {
    return nullptr;
  }
}

/// A function of `Args` that may ask for the application before them.
template <class App, class Signature>
class AskedOf;
template <class App, class Result, class... Args>
class AskedOf<App, Result(Args...)> {
 public:
  AskedOf() = default;
  template <class F>
    requires std::is_invocable_r_v<Result, F&, const App&, Args...>
  AskedOf(F function) : function_(std::move(function)) {}
  template <class F>
    requires std::is_invocable_r_v<Result, F&, Args...>
  AskedOf(F function)
      : function_([function = std::move(function)](const App&, Args... args) -> Result {
          return function(args...);
        }) {}

  explicit operator bool() const { return function_ != nullptr; }
  Result operator()(const App& app, Args... args) const { return function_(app, args...); }

 private:
  std::function<Result(const App&, Args...)> function_;
};

/// Stands for `Program::make_part` of an application whose problem has no parts.
struct NoParts {
  NoParts() = default;
  template <class Function>
  NoParts(const Function&) {
    static_assert(!std::same_as<Function, Function>,
                  "cleave: `make_part` is for a problem in parts: the application must have "
                  "`static constexpr bool kMergesParts = true`, or `sample`, `splitter` and "
                  "`partition`");
  }
  explicit operator bool() const { return false; }
};

/// \throws Error  if the program lacks what it cannot do without
template <class App>
const Program<App>& require_whole(const Program<App>& program) {
  if (!program.make_problem) {
    throw Error("the program must have `make_problem`, which makes the problem that a run solves");
  }
  if (!program.application) {
    throw Error(
        "the program must have `application`, which makes the application: it has no default "
        "constructor");
  }
  return program;
}

template <class App>
class RunOf final : public AnyRun {
 public:
  RunOf(std::shared_ptr<const Program<App>> program, const RunOptions& options)
      : AnyRun({.work = program->work,
                .is_generated = !program->is_generated || program->is_generated()}),
        program_(std::move(program)),
        app_(require_whole(*program_).application(options)) {}

  void make_problem(const Comm& comm, const RunOptions& options, std::uint64_t seed) override {
    solution_ = {};
    problem_.reset();
    if (is_distributed(options)) {
      problem_.emplace(make_part(comm, options, seed));
    } else if (holds_problem(comm.rank(), options)) {
      problem_.emplace(program_->make_problem(options.sizes, seed));
    } else {
      problem_.emplace();
    }
  }

  bool keeps_problem() const override { return kCopies; }

  void begin_solving() override {
    solution_ = {};
    if constexpr (kCopies) {
      to_solve_.emplace(*problem_);
    } else {
      to_solve_ = std::exchange(problem_, std::nullopt);
    }
  }

  void solve(DC_Type type, const CallOptions& options) override {
    solution_ = call(type, app_, *std::move(to_solve_), options);
  }

  void solve_as(const SearchMessages& rank, const CallOptions& options) override {
    const bool is_first = rank.rank() == 0;
    Problem problem = is_first ? *std::move(to_solve_) : Problem{};
    Solution solution = call_on(rank, app_, std::move(problem), options);
    if (is_first) {
      solution_ = std::move(solution);
    }
  }

  std::unique_ptr<AnyApp> app() const override { return std::make_unique<AppOf<App>>(app_); }

  std::function<ErasedValue(int)> maker_of_problems(const RunOptions& options,
                                                    std::uint64_t seed) const override {
    const auto erased = [](auto make) {
      return [make = std::move(make)](int rank) { return ErasedValue::of<Problem>(make(rank)); };
    };
    const int ranks = options.rehearse->of;
    const bool in_parts = is_distributed(options);
    if (in_parts && program_->make_part) {
      if (!facts().is_generated) {
        throw UsageError(
            "--rehearse: parts that are read from a file are not made for other ranks; take "
            "--placement replicated");
      }
      return erased([this, &options, seed, ranks](int rank) {
        return make_part(Comm::as_rank(rank, ranks), options, seed);
      });
    }
    if constexpr (SplitsParts<App>) {
      if (in_parts) {
        return erased([whole = shared_whole(options, seed), ranks](int rank) {
          return section_of(*whole, rank, ranks);
        });
      }
    }
    if constexpr (kCopies) {
      return erased([whole = shared_whole(options, seed), &options](int rank) {
        return holds_problem(rank, options) ? *whole : Problem{};
      });
    } else {
      return erased([this, &options, seed](int rank) {
        return holds_problem(rank, options) ? program_->make_problem(options.sizes, seed)
                                            : Problem{};
      });
    }
  }

  Wrong wrong(const Comm& comm, const Comm& holders, const RunOptions& options) override {
    const bool in_parts = is_distributed(options);
    if (program_->wrong_part && (in_parts || !kCopies)) {
      return agree(comm, [&] {
        return program_->wrong_part(holders, options.sizes, options.seed, solution_);
      });
    }
    if (in_parts) {
      agree(comm, [&] { gather_solution(comm); });
    }
    const bool has_solution = comm.rank() == 0 || (all_hold_solution(options) && !in_parts);
    const bool checks = has_solution && (in_parts || holds_problem(comm.rank(), options));
    return agree(comm, [&] { return checks ? wrong_whole(options, in_parts) : std::nullopt; });
  }

  void keep(const Comm& holders) const override {
    if (program_->keep) {
      program_->keep(holders, solution_);
    }
  }

  Figures figures() const override {
    return program_->figures ? program_->figures(app_, solution_) : Figures();
  }

 private:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  static constexpr bool kCopies = std::copy_constructible<Problem>;

  /// Makes the solution on rank 0 the whole one. Collective.
  void gather_solution(const Comm& comm) {
    if constexpr (SplitsParts<App>) {
      using Element = typename App::Element;
      const std::vector<std::int64_t> sizes = comm.gather(std::ssize(std::span(solution_)));
      if (comm.rank() != 0) {
        comm.send(0, std::as_bytes(std::span(solution_.data(), solution_.size())));
        return;
      }
      const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
      gathered_.emplace(static_cast<std::size_t>(total));
      std::span<Element> rest(gathered_->data(), gathered_->size());
      for (int rank = 0; rank < comm.size(); ++rank) {
        const std::span<Element> part = rest.first(static_cast<std::size_t>(sizes[rank]));
        if (rank == 0) {
          std::copy(solution_.begin(), solution_.end(), part.begin());
        } else {
          comm.receive(rank, std::as_writable_bytes(part));
        }
        rest = rest.subspan(part.size());
      }
    }
  }

  /// A sentence on a wrong whole solution, whose problem this rank has or, if it lies `in_parts`,
  /// makes.
  Wrong wrong_whole(const RunOptions& options, bool in_parts) const {
    if constexpr (kCopies) {
      if (!in_parts) {
        return wrong_with(*problem_, solution_);
      }
    }
    return wrong_with(program_->make_problem(options.sizes, options.seed),
                      gathered_ ? *gathered_ : solution_);
  }

  /// By the program's `make_part`, or a section of the whole.
  Problem make_part(const Comm& comm, const RunOptions& options, std::uint64_t seed) const {
    if constexpr (Distributable<App>) {
      if (program_->make_part) {
        return program_->make_part(comm, options.sizes, seed);
      }
    }
    if constexpr (SplitsParts<App>) {
      return section_of(program_->make_problem(options.sizes, seed), comm.rank(), comm.size());
    }
    throw Error("the program must have `make_part`, which makes a rank's part of the problem");
  }

  static Problem section_of(const Problem& whole, int rank, int ranks)
    requires SplitsParts<App>
  {
    const auto at = [&](int of) {
      return whole.size() * static_cast<std::size_t>(of) / static_cast<std::size_t>(ranks);
    };
    const std::span all(whole.data(), whole.size());
    return Problem(all.subspan(at(rank), at(rank + 1) - at(rank)));
  }

  std::shared_ptr<const Problem> shared_whole(const RunOptions& options, std::uint64_t seed) const {
    return std::make_shared<const Problem>(program_->make_problem(options.sizes, seed));
  }

  /// The fault that the program's `wrong` finds, or one beside the reference meaning.
  template <class Whole>
  Wrong wrong_with(Whole&& problem, const Solution& solution) const {
    if (program_->wrong) {
      return program_->wrong(app_, problem, solution);
    }
    if constexpr (DivideAndConquer<App>) {
      return equal(solution, solve_sequential(app_, std::forward<Whole>(problem)))
                 ? std::nullopt
                 : Wrong("it is not what recursion on one rank returns");
    } else {
      return equal(solution, search_sequentially(app_, std::forward<Whole>(problem)))
                 ? std::nullopt
                 : Wrong("it is not what a search by one loop returns");
    }
  }

  const std::shared_ptr<const Program<App>> program_;
  const App app_;
  std::optional<Problem> problem_;
  std::optional<Problem> to_solve_;
  Solution solution_{};
  std::optional<Solution> gathered_;
};

}  // namespace detail
}  // namespace cleave
