// SPDX-License-Identifier: Apache-2.0
// Five functions as an application: a thin adaptor for the published form of DC_Call.
#pragma once

#include <type_traits>
#include <utility>

#include <cleave/application.hpp>

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

}  // namespace cleave::detail
