// SPDX-License-Identifier: Apache-2.0
// Parallel quicksort as in Printista and Saez, section V: divide partitions around a pivot, the
// halves are sorted apart, combine puts one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <cleave/application.hpp>

namespace cleave::quicksort {

using Keys = std::vector<std::int32_t>;

/// A key that about left / total of `keys` are less than, from a sample of them.
std::int32_t choose_pivot(const Keys& keys, Share share);

/// Reorders `keys` so that none of the first `cut` is greater than `pivot` and none of the others
/// is less. Keys equal to the pivot go left until left / total of all keys are there.
/// \return  cut, in [1, keys.size() - 1]
/// \pre     two keys or more, `pivot` is one of them
std::size_t partition_around(std::int32_t pivot, Keys& keys, Share share);

struct Quicksort {
  using Problem = Keys;
  using Solution = Keys;

  bool trivial(const Keys& keys) const { return keys.size() < 2; }

  Keys conquer(Keys keys) const { return keys; }

  Halves<Keys> divide(Keys keys, Share share) const {
    const auto cut = partition_around(choose_pivot(keys, share), keys, share);
    Keys right(keys.begin() + static_cast<std::ptrdiff_t>(cut), keys.end());
    keys.resize(cut);
    return {std::move(keys), std::move(right)};
  }

  Keys combine(Keys left, const Keys& right) const {
    left.reserve(left.size() + right.size());
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }

  Keys sequential(Keys keys) const {
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  Sizes sizes(const Keys& keys) const { return {{"N", keys.size()}}; }
  Sizes solution_sizes(const Keys& keys) const { return {{"N", keys.size()}}; }
};

}  // namespace cleave::quicksort
