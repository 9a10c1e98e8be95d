// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/splitting/online_bound.hpp"

#include <algorithm>

#include "apps/splitting/tree/growth.hpp"

namespace cleave::splitting {

namespace {

constexpr Index kManyMore = Index{1} << 40;

/// What a segment of current leaves can become: least + step * x leaves for x from 0 to `times`.
struct Future {
  Index minimum = 0;
  Index times = 0;
};

Index power(Index base, int exponent) {
  Index result = 1;
  for (; exponent > 0 && result < kManyMore; --exponent) {
    result *= base;
  }
  return result;
}

/// Of one open leaf at `level`.
Future future_of_open_leaf(const Tree& tree, int level) {
  const Index minimum = power(tree.children(), std::max(0, tree.l_min() - level));
  const Index maximum = power(tree.children(), tree.l_max() - level);
  return {minimum, (maximum - minimum) / (tree.children() - 1)};
}

Index processors_for(Index leaves, Index maximum) { return (leaves + maximum - 1) / maximum; }

bool can_be_lost(Future left, Future right, Index step, Index processors) {
  const Index tries = 4 * processors;
  for (Index i = 0; i <= std::min(left.times, tries); ++i) {
    for (Index j = 0; j <= std::min(right.times, tries); ++j) {
      const Index L1 = left.minimum + step * i;
      const Index L2 = right.minimum + step * j;
      const Index maximum = processors_for(L1 + L2, processors);
      if (processors_for(L1, maximum) + processors_for(L2, maximum) > processors) {
        return true;
      }
    }
  }
  return false;
}

/// Whether each cut of the current stage can be lost.
bool every_cut_can_be_lost(const Growth& growth, Index processors) {
  const Tree& tree = growth.tree();
  const Future open = future_of_open_leaf(tree, growth.stage());
  const auto future_of = [&](Index leaf) {
    return growth.open(leaf) ? open : Future{.minimum = 1, .times = 0};
  };
  Future right;
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    right.minimum += future_of(leaf).minimum;
    right.times += future_of(leaf).times;
  }
  Future left;
  for (Index cut = 1; cut < growth.leaves(); ++cut) {
    const Future passed = future_of(cut - 1);
    left = {left.minimum + passed.minimum, left.times + passed.times};
    right = {right.minimum - passed.minimum, right.times - passed.times};
    if (!can_be_lost(left, right, tree.children() - 1, processors)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool early_split_loses_min_maximum(const Tree& tree, int processors) {
  Growth growth(tree);
  for (; growth.stage() < tree.l_max(); growth.advance()) {
    if (!every_cut_can_be_lost(growth, processors)) {
      return false;
    }
  }
  return true;
}

}  // namespace cleave::splitting
