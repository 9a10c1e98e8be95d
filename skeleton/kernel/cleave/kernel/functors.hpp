// SPDX-License-Identifier: Apache-2.0
// Five functions as an application: a thin adaptor for the published form of DC_Call. Its compile
// errors say in one sentence which function is missing or wrong.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/options.hpp>

namespace cleave::detail {

/// Holds the five functions; each is called as the member of that name (dc_call.hpp).
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
