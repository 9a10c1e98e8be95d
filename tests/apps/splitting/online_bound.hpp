// SPDX-License-Identifier: Apache-2.0
// What no online policy can do: a bound by the trees that look the same so far.
#pragma once

#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

/// Whether every first split before the last stage loses the least maximum, ceil(L / P), on some
/// tree. That tree agrees with `tree` up to that split, and its leaves lie from l_min to l_max.
/// Then a policy that reaches it on all of them makes all its splits on the last stage.
///
/// A part cut off at some stage can become n + (K - 1) x leaves for every x from 0 to what l_max
/// leaves room for. Two parts of L1 and L2 leaves need ceil(L1 / M) + ceil(L2 / M) processors to
/// get down to M = ceil((L1 + L2) / P). The cut is lost if that is more than P for some x1 and x2.
/// Those from 0 to 4 P are tried: true is proved, false may only mean that none was found. Cost: at
/// most 16 P^2 for each cut of each stage, a few steps for most.
bool early_split_loses_min_maximum(const Tree& tree, int processors);

}  // namespace cleave::splitting
