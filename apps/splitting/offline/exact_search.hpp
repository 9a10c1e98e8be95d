// SPDX-License-Identifier: Apache-2.0
// Exact planning in the modes where parts are not intervals (any, run, subtree, parent_owned), for
// small trees. It searches all states of one processor's part, each solved once.
//
// Processors do not interact: once a part has left its giver, both are split further on their own.
// f(part, m, s) is the least cost of spreading a part over m processors from stage s on. It is the
// smaller of waiting and of any legal split into two parts with m1 + m2 = m.
#pragma once

#include <optional>

#include <cleave/error.hpp>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// The most final leaves that a tree may have for `exact_search`.
inline constexpr Index kMaxSearchLeaves = 64;
/// The most splits that `exact_search` looks at: a few seconds, at most some hundred MB.
inline constexpr Index kMaxSearchSteps = 50'000'000;

/// The tree is too large for `exact_search`.
class SearchTooLarge : public Error {
  using Error::Error;
};

/// The cheapest plan with parts in `window` in any mode; nothing if there is none.
/// Time exponential in the leaves. In mode `any` it is exponential only in the kinds of leaves,
/// since leaves with equal subtrees below them are exchangeable there, so that weights must be 1.
///
/// \throws SearchTooLarge  beyond `kMaxSearchLeaves` or `kMaxSearchSteps`
/// \throws Error  if mode is `any` and there are weights
std::optional<PricedPlan> exact_search(const Problem& problem, LoadWindow window);

}  // namespace cleave::splitting
