// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

namespace {

/// The exception that is being handled: of a functor where it tells one, else of `block`.
Failure failure_of_exception(int level, std::string_view block) {
  try {
    throw;
  } catch (const BlockFailed& e) {
    return {level, e.block, e.what(), std::current_exception()};
  } catch (...) {
    return {level, std::string(block), message_of_exception(), std::current_exception()};
  }
}

/// The sums of the sizes that the first value has.
template <class SizesOf>
Sizes sum(const Values& list, const SizesOf& sizes_of) {
  if (list.size() == 1) {
    return sizes_of(list.front());
  }
  std::vector<Sizes> all;
  std::ranges::transform(list, std::back_inserter(all), sizes_of);
  Sizes sums;
  for (const Size& size : all.empty() ? Sizes{} : Sizes(all.front())) {
    std::int64_t value = 0;
    for (const Sizes& sizes : all) {
      const auto* const same = std::ranges::find(sizes, size.name, &Size::name);
      value += same != sizes.end() ? same->value : 0;
    }
    sums.add({size.name, value});
  }
  return sums;
}

/// How many of `count` problems the left ranks get: at least one, so that the half with more for
/// each of its ranks has the least. The right ranks get one at least, unless there is but one.
std::ptrdiff_t cut_for(std::ptrdiff_t count, Share share) {
  const auto most_of_a_rank = [&](std::ptrdiff_t cut) {
    return std::max(static_cast<double>(cut) / share.left,
                    static_cast<double>(count - cut) / (share.total - share.left));
  };
  const std::ptrdiff_t cut = std::max<std::ptrdiff_t>(1, count * share.left / share.total);
  return cut + 1 < count && most_of_a_rank(cut + 1) < most_of_a_rank(cut) ? cut + 1 : cut;
}

}  // namespace

void throw_block_failed(const char* name) { throw BlockFailed(name, message_of_exception()); }

void FirstFailure::note(std::string_view block, Level level) {
  const std::lock_guard guard(mutex_);
  if (!failure_) {
    failure_ = failure_of_exception(level.index, block);
  }
  is_set_.store(true);
}

bool Blocks::is_trivial(const Values& list) const {
  return list.empty() || (list.size() == 1 && app_.trivial(list.front()));
}

std::optional<bool> Blocks::trivial(const Values& list, Level level) {
  return attempt("trivial", level, [&] { return is_trivial(list); });
}

std::optional<Halves<Values>> Blocks::divide(Values list, Share share, const Sizes& sizes,
                                             Level level, Kept& kept) {
  return run(
      Block::divide, level,
      [&] {
        for (bool is_one = list.size() == 1; is_one;
             is_one = list.size() == 1 && !is_trivial(list)) {
          kept.push_back(std::move(list.front()));
          list = app_.divide(kept.back(), share);
        }
        const auto cut = list.begin() + cut_for(std::ssize(list), share);
        Values right(std::make_move_iterator(cut), std::make_move_iterator(list.end()));
        list.erase(cut, list.end());
        return Halves<Values>{.left = std::move(list), .right = std::move(right)};
      },
      [&](const Halves<Values>&) { return sizes; });
}

std::optional<Values> Blocks::solve_each(Block block, Values list, Level level,
                                         const Solver& solver) {
  Sizes sizes = problem_sizes(list, level);
  return run(
      block, level,
      [&] {
        Values solutions;
        for (ErasedValue& problem : list) {
          solutions.push_back(solver(std::move(problem)));
        }
        return solutions;
      },
      [&](const Values& solutions) {
        sizes.add(solution_sizes(solutions, level));
        return sizes;
      });
}

std::optional<Values> Blocks::conquer(Values list, Level level) {
  return solve_each(Block::conquer, std::move(list), level, [this](ErasedValue problem) {
    return app_.conquer(std::move(problem), slot_);
  });
}

std::optional<Values> Blocks::solve(Values list, Level level) {
  const std::optional<bool> is_trivial = trivial(list, level);
  if (!is_trivial || *is_trivial) {
    return is_trivial ? conquer(std::move(list), level) : std::nullopt;
  }
  const bool is_one = list.size() == 1;
  return solve_each(Block::sequential, std::move(list), level, [&](ErasedValue problem) {
    return !is_one && app_.trivial(problem)
               ? in_functor("conquer", [&] { return app_.conquer(std::move(problem), slot_); })
           : solver_ ? solver_(std::move(problem))
                     : app_.sequential(std::move(problem), limits_of(options().stealing), slot_);
  });
}

std::optional<Values> Blocks::combine(Values list, Values right, const Sizes& sizes, Level level,
                                      const Kept& kept) {
  return run(
      Block::combine, level,
      [&] {
        std::ranges::move(right, std::back_inserter(list));
        for (auto problem = kept.rbegin(); problem != kept.rend(); ++problem) {
          ErasedValue solution = app_.combine(std::exchange(list, {}));
          if (app_.traits().keeps_divided) {
            solution =
                in_functor("after", [&] { return app_.after(*problem, std::move(solution)); });
          }
          list.push_back(std::move(solution));
        }
        return std::move(list);
      },
      [&](const Values& solution) {
        Sizes all = solution_sizes(solution, level);
        all.add(sizes);
        return all;
      });
}

std::optional<Values> Blocks::no_solution() {
  return attempt("Solution", Level{}, [&] { return list_of(app_.no_solution()); });
}

Sizes Blocks::problem_sizes(const Values& list, Level level) {
  const auto sizes = [&] {
    return sum(list, [this](const ErasedValue& problem) { return app_.sizes(problem); });
  };
  return recorder() == nullptr ? Sizes{} : attempt("sizes", level, sizes).value_or(Sizes{});
}

Sizes Blocks::solution_sizes(const Values& list, Level level) {
  const auto sizes = [&] {
    return sum(list, [this](const ErasedValue& solution) { return app_.solution_sizes(solution); });
  };
  return recorder() == nullptr ? Sizes{}
                               : attempt("solution_sizes", level, sizes).value_or(Sizes{});
}

void Blocks::add_run_sizes(const Sizes& sizes) {
  if (recorder() != nullptr) {
    recorder()->add_run_sizes(sizes);
  }
}

std::string Blocks::refusal_of(const ErasedValue& total) {
  const auto nodes =
      attempt("solution_sizes", Level{}, [&] { return nodes_of(app_, total).value_or(0); });
  return beyond({.nodes = options().stealing.max_nodes}, nodes.value_or(0));
}

}  // namespace cleave::detail
