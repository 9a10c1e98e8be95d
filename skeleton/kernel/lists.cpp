// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <cleave/kernel/lists.hpp>

namespace cleave::detail {

namespace {

template <class Solve>
Values solve_each(Values list, const Solve& solve) {
  Values solutions;
  for (ErasedValue& problem : list) {
    solutions.push_back(solve(std::move(problem)));
  }
  return solutions;
}

/// The sums of the sizes that the first value has.
template <class SizesOf>
Sizes sum(const Values& list, const SizesOf& sizes_of) {
  if (list.size() == 1) {
    return sizes_of(list.front());
  }
  std::vector<Sizes> all;
  std::ranges::transform(list, std::back_inserter(all), sizes_of);
  const Sizes first = all.empty() ? Sizes{} : all.front();
  Sizes sums;
  for (const Size& size : first) {
    std::int64_t value = 0;
    for (const Sizes& sizes : all) {
      const auto* const same = std::ranges::find(sizes, size.name, &Size::name);
      value += same != sizes.end() ? same->value : 0;
    }
    sums.add({size.name, value});
  }
  return sums;
}

}  // namespace

bool Lists::trivial(const Values& list) const {
  return list.empty() || (list.size() == 1 && app_.trivial(list.front()));
}

Values Lists::conquer(Values list) const {
  return solve_each(std::move(list),
                    [this](ErasedValue problem) { return app_.conquer(std::move(problem)); });
}

Halves<Values> Lists::divide(Values list, Share share, Kept& kept) const {
  for (bool is_one = list.size() == 1; is_one; is_one = list.size() == 1 && !trivial(list)) {
    kept.push_back(std::move(list.front()));
    list = app_.divide(kept.back(), share);
  }
  const auto cut = list.begin() + cut_for(list, share);
  Values right(std::make_move_iterator(cut), std::make_move_iterator(list.end()));
  list.erase(cut, list.end());
  return {.left = std::move(list), .right = std::move(right)};
}

/// How many of a list the left ranks get: at least one, so that the half with more work for each of
/// its ranks has the least. The right ranks get one at least, unless there is but one.
std::ptrdiff_t Lists::cut_for(const Values& list, Share share) const {
  double right = 0;
  for (const ErasedValue& problem : list) {
    right += app_.work(problem);
  }
  double left = 0;
  double least = std::numeric_limits<double>::infinity();
  std::ptrdiff_t best = 1;
  for (std::ptrdiff_t cut = 1; cut < std::ssize(list); ++cut) {
    const double moved = app_.work(list[static_cast<std::size_t>(cut - 1)]);
    left += moved;
    right -= moved;
    const double slower = std::max(left / share.left, right / (share.total - share.left));
    if (slower < least) {
      least = slower;
      best = cut;
    }
  }
  return best;
}

Values Lists::combine(Values list, Values right, const Kept& kept) const {
  std::move(right.begin(), right.end(), std::back_inserter(list));
  for (auto problem = kept.rbegin(); problem != kept.rend(); ++problem) {
    ErasedValue solution = app_.combine(std::exchange(list, {}));
    if (app_.traits().keeps_divided) {
      solution = in_functor("after", [&] { return app_.after(*problem, std::move(solution)); });
    }
    list.push_back(std::move(solution));
  }
  return list;
}

Values Lists::sequential(Values list, const SearchLimits& limits, const Solver& solver) const {
  const bool is_one = list.size() == 1;
  return solve_each(std::move(list), [&](ErasedValue problem) {
    return solver                             ? solver(std::move(problem))
           : !is_one && app_.trivial(problem) ? app_.conquer(std::move(problem))
                                              : app_.sequential(std::move(problem), limits);
  });
}

Sizes Lists::sizes(const Values& list) const {
  return sum(list, [this](const ErasedValue& problem) { return app_.sizes(problem); });
}

Sizes Lists::solution_sizes(const Values& list) const {
  return sum(list, [this](const ErasedValue& solution) { return app_.solution_sizes(solution); });
}

std::optional<bool> Blocks::trivial(const Values& problem, Level level) {
  return attempt("trivial", level, [&] { return lists_.trivial(problem); });
}

std::optional<Halves<Values>> Blocks::divide(Values problem, Share share, const Sizes& sizes,
                                             Level level, Kept& kept) {
  return run(
      Block::divide, level, [&] { return lists_.divide(std::move(problem), share, kept); },
      [&](const Halves<Values>&) { return sizes; });
}

std::optional<Values> Blocks::conquer(Values problem, Level level) {
  const Sizes sizes = problem_sizes(problem, level);
  return run(
      Block::conquer, level, [&] { return lists_.conquer(std::move(problem)); },
      [&](const Values& solution) { return with_solution(sizes, solution, level); });
}

std::optional<Values> Blocks::solve(Values problem, Level level) {
  const std::optional<bool> is_trivial = trivial(problem, level);
  if (!is_trivial || *is_trivial) {
    return is_trivial ? conquer(std::move(problem), level) : std::nullopt;
  }
  const Sizes sizes = problem_sizes(problem, level);
  return run(
      Block::sequential, level,
      [&] { return lists_.sequential(std::move(problem), limits_of(options().stealing), solver_); },
      [&](const Values& solution) { return with_solution(sizes, solution, level); });
}

std::optional<Values> Blocks::combine(Values left, Values right, const Sizes& sizes, Level level,
                                      const Kept& kept) {
  return run(
      Block::combine, level,
      [&] { return lists_.combine(std::move(left), std::move(right), kept); },
      [&](const Values& solution) {
        Sizes all = solution_sizes(solution, level);
        all.add(sizes);
        return all;
      });
}

std::optional<Values> Blocks::no_solution() {
  return attempt("Solution", Level{}, [&] { return list_of(app_.no_solution()); });
}

Sizes Blocks::problem_sizes(const Values& problem, Level level) {
  return recorder() == nullptr
             ? Sizes{}
             : attempt("sizes", level, [&] { return lists_.sizes(problem); }).value_or(Sizes{});
}

Sizes Blocks::solution_sizes(const Values& solution, Level level) {
  return recorder() == nullptr ? Sizes{} : attempt("solution_sizes", level, [&] {
                                             return lists_.solution_sizes(solution);
                                           }).value_or(Sizes{});
}

void Blocks::add_run_sizes(const Sizes& sizes) {
  if (recorder() != nullptr) {
    recorder()->add_run_sizes(sizes);
  }
}

std::string Blocks::refusal_of(const ErasedValue& total) {
  const auto nodes =
      attempt("solution_sizes", Level{}, [&] { return nodes_of(app_, total).value_or(0); });
  return beyond({.nodes = options().stealing.max_nodes}, nodes.value_or(0)).value_or("");
}

Sizes Blocks::with_solution(Sizes sizes, const Values& solution, Level level) {
  sizes.add(solution_sizes(solution, level));
  return sizes;
}

}  // namespace cleave::detail
