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
#include <cleave/check.hpp>
#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/part.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/tree_search.hpp>

namespace cleave {

template <class App>
struct Program;

namespace detail {

/// The application of the program. \throws Error  if it lacks what it cannot do without
template <class App>
App application_of(const Program<App>& program, const RunOptions& options) {
  if (!program.make_problem) {
    throw Error("the program must have `make_problem`, which makes the problem that a run solves");
  }
  if (program.make_part && !Distributable<App>) {
    throw Error(
        "`make_part` is for a problem in parts: the application must have `static constexpr bool "
        "kMergesParts = true`, or `sample`, `splitter` and `partition`");
  }
  if (program.application) {
    return program.application(options);
  }
  if constexpr (std::default_initializable<App>) {
    return App{};
  } else {
    throw Error(
        "the program must have `application`, which makes the application: it has no default "
        "constructor");
  }
}

template <class App>
class RunOf final : public AnyRun {
 public:
  RunOf(std::shared_ptr<const Program<App>> program, const RunOptions& options)
      : program_(std::move(program)), app_(application_of(*program_, options)) {}

  bool is_generated() const override { return !program_->is_generated || program_->is_generated(); }

  void make_problem(const Comm& comm, const RunOptions& options, std::uint64_t seed) override {
    solution_ = Solution();
    problem_.reset();
    problem_.emplace(problem_of(comm, options, seed));
  }

  bool keeps_problem() const override { return kCopies; }

  void begin_solving() override {
    solution_ = Solution();
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
    Solution solution = call_on(rank, app_, is_first ? *std::move(to_solve_) : Problem{}, options);
    if (is_first) {
      solution_ = std::move(solution);
    }
  }

  std::unique_ptr<AnyApp> app() const override { return std::make_unique<AppOf<App>>(app_); }

  std::function<ErasedValue(int)> maker_of_problems(const RunOptions& options,
                                                    std::uint64_t seed) const override {
    const bool in_parts = is_distributed(options);
    if (in_parts && program_->make_part && !is_generated()) {
      throw UsageError(
          "--rehearse: parts that are read from a file are not made for other ranks; take "
          "--placement replicated");
    }
    std::shared_ptr<const Problem> whole;
    if (in_parts ? !program_->make_part : kCopies) {
      whole = std::make_shared<const Problem>(program_->make_problem(options.sizes, seed));
    }
    return [this, &options, seed, whole](int rank) {
      return ErasedValue::of<Problem>(
          problem_of(Comm::as_rank(rank, options.ranks), options, seed, whole.get()));
    };
  }

  CheckedProblem checked_problem(const RunOptions& options) const override {
    if constexpr (kCopies || Transferable<Problem>) {
      const auto problem =
          std::make_shared<const Problem>(program_->make_problem(options.sizes, options.seed));
      const auto is_right = [this, problem](const Solution& /*any*/, const Solution& found) {
        return !wrong_with(copy_of(*problem), found);
      };
      return detail::checked_problem<false>(app_, format_sizes(options.sizes), copy_of(*problem),
                                            Solution{}, is_right);
    }
    throw UsageError("--check: a Problem that can neither be copied nor sent is not checked");
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
    return agree(comm, [&] {
      return holds_problem(comm.rank(), options) ? wrong_whole(options, in_parts) : std::nullopt;
    });
  }

  void keep(const Comm& holders) const override {
    if (program_->keep) {
      program_->keep(holders, solution_);
    }
  }

  Figures figures() const override {
    return program_->figures ? program_->figures(solution_) : Figures();
  }

 private:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  static constexpr bool kCopies = std::copy_constructible<Problem>;

  /// Makes the solution on rank 0 the whole one. Collective.
  void gather_solution(const Comm& comm) {
    if constexpr (SplitsParts<App>) {
      const std::vector<std::int64_t> sizes = comm.gather(std::ssize(std::span(solution_)));
      if (comm.rank() != 0) {
        comm.send(0, std::as_bytes(std::span(solution_.data(), solution_.size())));
        return;
      }
      gathered_.emplace(
          static_cast<std::size_t>(std::reduce(sizes.begin(), sizes.end(), std::int64_t{0})));
      auto* at = std::copy(solution_.begin(), solution_.end(), gathered_->data());
      for (int rank = 1; rank < comm.size(); at += sizes[rank++]) {
        comm.receive(rank, std::as_writable_bytes(std::span(at, sizes[rank])));
      }
    }
  }

  /// A sentence on a wrong whole solution. Where it lies `in_parts`, this rank makes the problem.
  Wrong wrong_whole(const RunOptions& options, bool in_parts) const {
    if constexpr (kCopies) {
      if (!in_parts) {
        return wrong_with(*problem_, solution_);
      }
    }
    return wrong_with(program_->make_problem(options.sizes, options.seed),
                      gathered_ ? *gathered_ : solution_);
  }

  /// The problem of `seed`, as this rank of `comm` is given it; from `whole` where that is there.
  Problem problem_of(const Comm& comm, const RunOptions& options, std::uint64_t seed,
                     const Problem* whole = nullptr) const {
    if (is_distributed(options)) {
      if (program_->make_part) {
        return program_->make_part(comm, options.sizes, seed);
      }
      if constexpr (SplitsParts<App>) {
        const Problem own = whole ? Problem() : program_->make_problem(options.sizes, seed);
        return section_of(whole ? *whole : own, static_cast<std::size_t>(comm.rank()),
                          static_cast<std::size_t>(comm.size()));
      }
      throw Error("the program must have `make_part`, which makes a rank's part of the problem");
    }
    if (!holds_problem(comm.rank(), options)) {
      return Problem{};
    }
    if constexpr (kCopies) {
      if (whole != nullptr) {
        return *whole;
      }
    }
    return program_->make_problem(options.sizes, seed);
  }

  /// The fault that the program's `wrong` finds, or one beside the reference meaning.
  template <class Whole>
  Wrong wrong_with(Whole&& problem, const Solution& solution) const {
    if (program_->wrong) {
      return program_->wrong(problem, solution);
    }
    const auto alone = [&] {
      if constexpr (DivideAndConquer<App>) {
        return solve_sequential(app_, std::forward<Whole>(problem));
      } else {
        return search_sequentially(app_, std::forward<Whole>(problem));
      }
    };
    return equal(solution, alone()) ? std::nullopt : Wrong("it is not what one rank alone returns");
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
