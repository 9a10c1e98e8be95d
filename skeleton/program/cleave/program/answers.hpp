// SPDX-License-Identifier: Apache-2.0
// What the program asks its application, and what it takes where the application does not answer.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/check.hpp>
#include <cleave/comm.hpp>
#include <cleave/costs.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/program/contract.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

/// "size=N=1M,input=file 0123456789abcdef" of the application's own options: a value that names a
/// file stands for what the file holds. \throws FileError  if it cannot be read
std::string content_of(const std::vector<CommandLine::OwnOption>& options);

/// What is wrong on the lowest rank where anything is, told to every rank.
std::optional<std::string> first_wrong(const Comm& comm, const std::optional<std::string>& wrong);

/// What the application declares of its blocks' cost; mostly nothing.
template <class App>
Costs costs_of(const App& app) {
  if constexpr (requires { app.costs(); }) {
    return app.costs();
  } else {
    return {};
  }
}

/// The whole problem, by the application's `make_problem`.
template <class App>
typename App::Problem make_whole(const App& app, const RunOptions& options, std::uint64_t seed) {
  if constexpr (HasSizedMakeProblem<App>) {
    return app.make_problem(options.sizes, seed);
  } else {
    return app.make_problem(seed);
  }
}

/// A rank's part of a sequence: as many elements as any other has, or one more.
template <class Problem>
Problem section_of(const Problem& whole, int rank, int ranks) {
  const auto at = [&](int of) {
    return whole.size() * static_cast<std::size_t>(of) / static_cast<std::size_t>(ranks);
  };
  return Problem(std::span(whole.data(), whole.size()).subspan(at(rank), at(rank + 1) - at(rank)));
}

/// This rank's part: by `make_part`, or a section of the whole.
template <class App>
  requires MakesParts<App>
typename App::Problem make_part(const Comm& comm, const App& app, const RunOptions& options,
                                std::uint64_t seed) {
  if constexpr (HasMakePart<App>) {
    return app.make_part(comm, options.sizes, seed);
  } else {
    return section_of(make_whole(app, options, seed), comm.rank(), comm.size());
  }
}

/// The ranks that a solution is spread over: all of `comm`, or this one alone where each has all of
/// it. Collective.
Comm ranks_of_solution(const Comm& comm, const RunOptions& options);

/// The whole solution on rank 0: all parts, where each rank has one.
template <class App>
typename App::Solution gather_solution(const Comm& comm, const typename App::Solution& mine) {
  if constexpr (SplitsParts<App>) {
    using Element = typename App::Element;
    const std::vector<std::int64_t> sizes = comm.gather(std::ssize(std::span(mine)));
    std::int64_t total = 0;
    for (const std::int64_t size : sizes) {
      total += size;
    }
    if (comm.rank() != 0) {
      comm.send(0, std::as_bytes(std::span(mine.data(), mine.size())));
      return {};
    }
    Part<Element> whole(static_cast<std::size_t>(total));
    std::span<Element> rest(whole.data(), whole.size());
    std::copy(mine.begin(), mine.end(), rest.begin());
    rest = rest.subspan(mine.size());
    for (int rank = 1; rank < comm.size(); ++rank) {
      const auto size = static_cast<std::size_t>(sizes[rank]);
      comm.receive(rank, std::as_writable_bytes(rest.first(size)));
      rest = rest.subspan(size);
    }
    return whole;
  } else {
    return over_the_wire(mine);
  }
}

/// What is wrong with a whole solution: as the application's `wrong` finds, or beside the reference
/// meaning, which takes a `Problem` that is handed over.
template <class App, class Problem>
std::optional<std::string> wrong_whole(const App& app, Problem&& problem,
                                       const typename App::Solution& solution) {
  if constexpr (requires { app.wrong(problem, solution); }) {
    return app.wrong(problem, solution);
  } else if constexpr (DivideAndConquer<App>) {
    return equal(solution, solve_sequential(app, std::forward<Problem>(problem)))
               ? std::nullopt
               : std::optional<std::string>("it is not what recursion on one rank returns");
  } else {
    return equal(solution, search_sequentially(app, std::forward<Problem>(problem)))
               ? std::nullopt
               : std::optional<std::string>("it is not what a search by one loop returns");
  }
}

/// What is wrong with the result of the last repetition, which solved the problem of `seed`.
/// Collective.
template <class App>
std::optional<std::string> find_wrong(const Comm& comm, const App& app, const RunOptions& options,
                                      const std::optional<typename App::Problem>& problem,
                                      const typename App::Solution& solution) {
  const bool in_parts = is_distributed(options);
  if constexpr (HasWrongPart<App>) {
    if (in_parts || !problem) {
      const Comm holders = ranks_of_solution(comm, options);
      return first_wrong(comm, agree(comm, [&] {
                           return app.wrong_part(holders, options.sizes, options.seed, solution);
                         }));
    }
  }
  if constexpr (MakesParts<App>) {
    if (in_parts) {
      const auto whole = agree(comm, [&] { return gather_solution<App>(comm, solution); });
      return first_wrong(comm, agree(comm, [&]() -> std::optional<std::string> {
                           return comm.rank() == 0
                                      ? wrong_whole(app, make_whole(app, options, options.seed),
                                                    whole)
                                      : std::nullopt;
                         }));
    }
  }
  return first_wrong(comm, agree(comm, [&]() -> std::optional<std::string> {
                       const bool has_solution = comm.rank() == 0 || all_hold_solution(options);
                       if (!holds_problem(comm, options) || !has_solution) {
                         return std::nullopt;
                       }
                       if constexpr (std::copy_constructible<typename App::Problem>) {
                         return wrong_whole(app, *problem, solution);
                       } else {
                         return wrong_whole(app, make_whole(app, options, options.seed), solution);
                       }
                     }));
}

template <class App>
Figures figures_of(const Comm& comm, const App& app, const typename App::Solution& solution) {
  if constexpr (HasCollectiveFigures<App>) {
    return app.figures(comm, solution);
  } else if constexpr (HasPlainFigures<App>) {
    return comm.rank() == 0 ? app.figures(solution) : Figures::object();
  } else {
    return Figures::object();
  }
}

template <class App>
bool is_generated(const App& app) {
  if constexpr (requires { app.is_generated(); }) {
    return app.is_generated();
  } else {
    return true;
  }
}

/// All that makes the problem of a run: a snapshot of another is refused.
template <class App>
std::string instance_of(const App& app, const CommandLine& command_line) {
  std::string text;
  if constexpr (requires { app.instance(); }) {
    text = app.instance();
  } else {
    text = content_of(command_line.own_options());
  }
  const std::string seed = fmt::format("seed={}", command_line.options().seed);
  return is_generated(app) ? text + (text.empty() ? "" : ",") + seed : text;
}

/// The size that a rank's share of work is counted in: `kWork`, or the first of `kSizes`.
template <class App>
std::string_view work_of(const ProgramTraits& program) {
  if constexpr (requires { std::string_view(App::kWork); }) {
    return App::kWork;
  } else {
    return program.sizes.empty() ? std::string_view() : program.sizes.front().name;
  }
}

}  // namespace cleave::detail
