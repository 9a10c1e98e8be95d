// SPDX-License-Identifier: Apache-2.0
// DC_Call: divide-and-conquer over the ranks of a communicator, from five sequential functions.
//
// What an application supplies is in application.hpp, what it means is `solve_sequential` there,
// how it is run is in kernel/. An application that searches a tree may supply
// one functor instead (tree_search.hpp). The skeleton is that of Printista and Saez,
// "Measuring the Component of a Divide and Conquer Skeleton".
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/call.hpp>
#include <cleave/options.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// Holds the five functions; each is called as the member of that name.
template <class P, class Trivial, class Divide, class Conquer, class Combine, class Sequential>
class Functors {
 public:
  using Problem = P;
  using Solution = std::remove_cvref_t<std::invoke_result_t<const Conquer&, P>>;

  Functors(Trivial trivial, Divide divide, Conquer conquer, Combine combine, Sequential sequential)
      : trivial_(std::move(trivial)),
        divide_(std::move(divide)),
        conquer_(std::move(conquer)),
        combine_(std::move(combine)),
        sequential_(std::move(sequential)) {}

  bool trivial(const P& problem) const
    requires std::is_invocable_r_v<bool, const Trivial&, const P&>
  {
    return trivial_(problem);
  }
  Halves<P> divide(P problem) const
    requires std::is_invocable_r_v<Halves<P>, const Divide&, P>
  {
    return divide_(std::move(problem));
  }
  Halves<P> divide(P problem, Share share) const
    requires std::is_invocable_r_v<Halves<P>, const Divide&, P, Share>
  {
    return divide_(std::move(problem), share);
  }
  Solution conquer(P problem) const { return conquer_(std::move(problem)); }
  Solution combine(Solution left, Solution right) const
    requires std::is_invocable_r_v<Solution, const Combine&, Solution, Solution>
  {
    return combine_(std::move(left), std::move(right));
  }
  Solution sequential(P problem) const
    requires std::is_invocable_r_v<Solution, const Sequential&, P>
  {
    return sequential_(std::move(problem));
  }

 private:
  Trivial trivial_;
  Divide divide_;
  Conquer conquer_;
  Combine combine_;
  Sequential sequential_;
};

template <class Problem, class Conquer>
concept HasConquerFunction = std::is_invocable_v<const Conquer&, Problem> && requires {
  requires std::movable<std::remove_cvref_t<std::invoke_result_t<const Conquer&, Problem>>>;
  requires std::default_initializable<
      std::remove_cvref_t<std::invoke_result_t<const Conquer&, Problem>>>;
};

/// Reports the first of five functions that is not as it must be. Called as const, by several
/// threads at once: a `mutable` lambda is none of them.
/// \return  whether all are
template <class Problem, class Trivial, class Divide, class Conquer, class Combine,
          class Sequential>
consteval bool require_functions() {
  CLEAVE_REQUIRE(std::movable<Problem>, "cleave: the problem given to DC_Call must be movable")
  CLEAVE_REQUIRE((!std::same_as<Sequential, Options>),
                 "cleave: DC_Call takes five functions before its options: `sequential`, which "
                 "solves a whole subproblem on one rank, is missing")
  CLEAVE_REQUIRE((std::is_invocable_r_v<bool, const Trivial&, const Problem&>),
                 "cleave: the function `trivial` must take a `const Problem&` and return a bool, "
                 "and not be mutable")
  CLEAVE_REQUIRE((std::is_invocable_r_v<Halves<Problem>, const Divide&, Problem> ||
                  std::is_invocable_r_v<Halves<Problem>, const Divide&, Problem, Share>),
                 "cleave: the function `divide` must take a Problem, or a Problem and a Share, and "
                 "return `Halves<Problem>`, and not be mutable")
  CLEAVE_REQUIRE((HasConquerFunction<Problem, Conquer>),
                 "cleave: the function `conquer` must take a Problem and return its Solution, "
                 "which is movable and default-constructible, and not be mutable")
  if constexpr (HasConquerFunction<Problem, Conquer>) {
    using Solution = std::remove_cvref_t<std::invoke_result_t<const Conquer&, Problem>>;
    CLEAVE_REQUIRE((std::is_invocable_r_v<Solution, const Combine&, Solution, Solution>),
                   "cleave: the function `combine` must take two Solutions, as `conquer` returns "
                   "them, and return one, and not be mutable")
    CLEAVE_REQUIRE((std::is_invocable_r_v<Solution, const Sequential&, Problem>),
                   "cleave: the function `sequential` must take a Problem and return a Solution, "
                   "as `conquer` does, and not be mutable")
    return true;
  }
}

}  // namespace cleave::detail

namespace cleave {

/// Runs `app` on `problem`.
///
/// Collective over `options.comm` except for DC_Type::sequential. With Placement::rooted the
/// problem of rank 0 counts, and the other ranks get a default-constructed solution; with
/// Placement::distributed each rank passes its part (`Distributable`). Cost on p ranks:
/// docs/explanation/model.md, eq. 6. Two agreements of 2 log2(p) messages, at the start and at the
/// end; four of work stealing. Problems and solutions of more than 32 bytes, or whose
/// move may throw, are moved to the heap once.
///
/// \throws FunctorError    on every rank, the same one, if a functor, the sizes, a copy or a move
///                         throws on any rank, a thread cannot be started, or a message cannot be
///                         stored (DC_Type::sequential passes it on unchanged). What the move of
///                         the solution to the caller throws, one rank throws alone
/// \throws Interrupted     on every rank, once a search that was asked to stop has left a snapshot
/// \throws Error           on every rank, if a search was ended early in another way, the executor
///                         cannot run an application of this form, or ranks make different calls
/// \throws MpiError        if MPI reports a failure
template <class App, class Problem = detail::ProblemOf<App>>
auto DC_Call(DC_Type type, const App& app, Problem problem, const Options& options = {}) {
  if constexpr (!detail::require_application<App, Problem>()) {
    return detail::Anything{};
  } else {
    return detail::call(type, app, std::move(problem), detail::CallOptions{options});
  }
}

/// The published form: five functions instead of an application. The types of problem and solution
/// are those of `problem` and of what `conquer` returns. `divide` may take a Share or not.
template <class Problem, class Trivial, class Divide, class Conquer, class Combine,
          class Sequential>
auto DC_Call(DC_Type type, Problem problem, Trivial trivial, Divide divide, Conquer conquer,
             Combine combine, Sequential sequential, const Options& options = {}) {
  if constexpr (!detail::require_functions<Problem, Trivial, Divide, Conquer, Combine,
                                           Sequential>()) {
    return detail::Anything{};
  } else {
    return DC_Call(type,
                   detail::Functors<Problem, Trivial, Divide, Conquer, Combine, Sequential>{
                       std::move(trivial), std::move(divide), std::move(conquer),
                       std::move(combine), std::move(sequential)},
                   std::move(problem), options);
  }
}

/// Three or four functions instead of five: a compile error that says so.
template <class Problem, class Trivial, class Divide, class Conquer, class... Combine>
  requires(sizeof...(Combine) <= 1)
auto DC_Call(DC_Type /*type*/, Problem /*problem*/, Trivial /*trivial*/, Divide /*divide*/,
             Conquer /*conquer*/, Combine... /*combine*/) {
  static_assert(sizeof...(Combine) == 2,
                "cleave: DC_Call takes five functions, `trivial`, `divide`, `conquer`, `combine` "
                "and `sequential`: the last ones are missing");
  return detail::Anything{};
}

}  // namespace cleave
