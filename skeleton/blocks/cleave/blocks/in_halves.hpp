// SPDX-License-Identifier: Apache-2.0
// An application of many subproblems, or with `after`, on the hypercube, which divides in halves.
// Its problem is a list: one problem, or neighbours of one division. The list of one is divided,
// and a longer one is cut in two by the work of its problems and the ranks of each half. Solutions
// are lists as well. They are joined until a whole division is there, and then combined
// (docs/explanation/design/0004-more-than-two-halves.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/in_functor.hpp>
#include <cleave/sizes.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// Refers to the application.
template <DivideAndConquer App>
class InHalves {
 public:
  using Problem = std::vector<typename App::Problem>;
  using Solution = std::vector<typename App::Solution>;
  /// The problems that one `divide` has divided, each the only part of the one before it; none
  /// where a list was cut. They are as the application's `divide` left them.
  using Kept = Problem;

  explicit InHalves(const App& app) : app_(app) {}

  static Problem list_of(typename App::Problem problem) {
    Problem list;
    list.push_back(std::move(problem));
    return list;
  }

  bool trivial(const Problem& list) const {
    return list.empty() || (list.size() == 1 && app_.trivial(list.front()));
  }
  Solution conquer(Problem list) const {
    return solve_each(std::move(list), [this](typename App::Problem problem) {
      return app_.conquer(std::move(problem));
    });
  }

  /// A trivial problem that is the only part of another goes to the left, and nothing to the right.
  Halves<Problem> divide(Problem list, Share share, Kept& kept) const {
    for (bool is_one = list.size() == 1; is_one; is_one = list.size() == 1 && !trivial(list)) {
      kept.push_back(std::move(list.front()));
      list = parts_of(kept.back(), share);
    }
    const auto cut = list.begin() + cut_for(list, share);
    Problem right(std::make_move_iterator(cut), std::make_move_iterator(list.end()));
    list.erase(cut, list.end());
    return {.left = std::move(list), .right = std::move(right)};
  }

  Solution combine(Solution list, Solution right, const Kept& kept) const {
    std::move(right.begin(), right.end(), std::back_inserter(list));
    for (auto problem = kept.rbegin(); problem != kept.rend(); ++problem) {
      Combined<App> combined;
      for (auto&& solution : list) {
        combined.add(app_, std::move(solution));
      }
      list.clear();
      list.push_back(combined.take(app_));
      list.front() =
          in_functor("after", [&] { return after_parts(app_, *problem, std::move(list.front())); });
    }
    return list;
  }

  Solution sequential(Problem list) const {
    return solve_each(std::move(list), [this](typename App::Problem problem) {
      return solve_whole(app_, std::move(problem));
    });
  }
  /// The solutions that `solve` finds of a list, one problem after the other.
  template <class Solve>
  static Solution solve_each(Problem list, const Solve& solve) {
    Solution solutions;
    for (auto&& problem : list) {
      solutions.push_back(solve(std::move(problem)));
    }
    return solutions;
  }

  /// Sums over the list.
  Sizes sizes(const Problem& list) const
    requires HasProblemSizes<App>
  {
    return sum(list, [this](const auto& problem) { return app_.sizes(problem); });
  }
  Sizes solution_sizes(const Solution& list) const
    requires HasSolutionSizes<App>
  {
    return sum(list, [this](const auto& solution) { return app_.solution_sizes(solution); });
  }

  /// What a rank gets where the solution is for another one.
  static Solution no_solution() { return Solution(1); }

 private:
  Problem parts_of(typename App::Problem& problem, Share share) const {
    if constexpr (HasDivideInMany<App>) {
      return subproblems(app_, static_cast<ToDivide<App>>(problem));
    } else {
      return divide_once(app_, static_cast<ToDivide<App>>(problem), share);
    }
  }

  double work_of(const typename App::Problem& problem) const {
    if constexpr (HasWork<App>) {
      return app_.work(problem);
    } else {
      return 1;
    }
  }

  /// How many of a list the left ranks get: at least one, so that the half with more work for each
  /// of its ranks has the least. The right ranks get one at least, unless there is but one.
  std::ptrdiff_t cut_for(const Problem& list, Share share) const {
    double right = 0;
    for (const auto& problem : list) {
      right += work_of(problem);
    }
    double left = 0;
    double least = std::numeric_limits<double>::infinity();
    std::ptrdiff_t best = 1;
    for (std::ptrdiff_t cut = 1; cut < std::ssize(list); ++cut) {
      const double moved = work_of(list[static_cast<std::size_t>(cut - 1)]);
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

  template <class List, class SizesOf>
  static Sizes sum(const List& list, const SizesOf& sizes_of) {
    Sizes sums;
    if (list.empty()) {
      return sums;
    }
    for (const Size& of_first : sizes_of(list.front())) {
      std::int64_t value = 0;
      for (const auto& each : list) {
        const Sizes sizes = sizes_of(each);
        const auto* const same = std::ranges::find(sizes, of_first.name, &Size::name);
        value += same != sizes.end() ? same->value : 0;
      }
      sums.add({of_first.name, value});
    }
    return sums;
  }

  const App& app_;
};

template <class App>
inline constexpr bool kKeepsDivided = false;
template <class App>
inline constexpr bool kKeepsDivided<InHalves<App>> = true;
/// Wants what it has divided when it combines.
template <class App>
concept KeepsDivided = kKeepsDivided<App>;

/// What the hypercube divides and combines as it is: parts, and halves without `after`.
template <class App>
concept DividesInHalves = KeepsDivided<App> || (DivideAndConquer<App> && HasDivideInHalves<App> &&
                                                HasCombine<App> && !HasAfter<App>);

/// What runs on the hypercube, in lists where it must. Those of a search have no limits.
template <class App>
concept RunsOnHypercube = DivideAndConquer<App> && (DividesInHalves<App> || !TreeSearch<App>);

/// Whether the threads of a rank can share its own part on the hypercube, by work stealing.
template <class App>
concept SharesOwnPart = RunsOnHypercube<App> && Transferable<typename App::Problem> &&
                        (!HasSequential<App> || HasSmall<App> || TreeSearch<App>);

template <class App>
struct KeptOfApp {
  using Type = std::monostate;
};
template <KeepsDivided App>
struct KeptOfApp<App> {
  using Type = typename App::Kept;
};
/// What the ranks of a group keep of its problem until they combine.
template <class App>
using KeptOf = typename KeptOfApp<App>::Type;

template <DividesInHalves App>
Halves<typename App::Problem> divide_keeping(const App& app, typename App::Problem problem,
                                             Share share, KeptOf<App>& kept) {
  if constexpr (KeepsDivided<App>) {
    return app.divide(std::move(problem), share, kept);
  } else {
    return cleave::divide(app, std::move(problem), share);
  }
}

template <class App>
typename App::Solution combine_kept(const App& app, typename App::Solution left,
                                    typename App::Solution right, const KeptOf<App>& kept) {
  if constexpr (KeepsDivided<App>) {
    return app.combine(std::move(left), std::move(right), kept);
  } else {
    return app.combine(std::move(left), std::move(right));
  }
}

}  // namespace cleave::detail
