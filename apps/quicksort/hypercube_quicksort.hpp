// SPDX-License-Identifier: Apache-2.0
// Hypercube quicksort (Wagar 1987) of keys that are spread over the ranks and stay so: the sorting
// form of Placement::distributed. Pivots are quantiles of large random samples; what makes it even
// on every input is the skeleton's exchange (kernel/split_parts.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/random.hpp>

#include "apps/quicksort/keys.hpp"
#include "apps/quicksort/local_sort.hpp"

namespace cleave::quicksort {

/// \tparam Key    a plain type
/// \tparam Order  any strict weak order `bool(const Key&, const Key&)`. Vector instructions handle
///                keys of VectorKey in the order ByKey
template <class Key, class Order = ByKey>
struct HypercubeQuicksort {
  using Element = Key;
  using Splitter = Key;
  using Problem = Part<Key>;
  using Solution = Part<Key>;

  bool trivial(const Part<Key>& keys) const { return keys.size() < 2; }

  Part<Key> conquer(Part<Key> keys) const { return keys; }

  Halves<Part<Key>> divide(Part<Key> keys, Share share) const {
    const Split<Key> split =
        splitter(sample(keys_of(keys), std::min(keys.size(), kSamples), 0), share);
    const Cut cut = partition(keys_of(keys), {split.splitter, true}, ClassOrder::ascending);
    const std::size_t wanted = keys.size() * share.left / share.total;
    const std::size_t left = std::clamp(std::clamp(wanted, cut.less, cut.less + cut.equal),
                                        std::size_t{1}, keys.size() - 1);
    Part<Key> right(std::span<const Key>(keys.begin() + left, keys.end()));
    keys.drop_last(right.size());
    return {std::move(keys), std::move(right)};
  }

  Part<Key> combine(Part<Key> left, const Part<Key>& right) const {
    left.make_room_behind(right.size());
    std::copy(right.begin(), right.end(), left.grow_behind(right.size()).begin());
    return left;
  }

  Part<Key> sequential(Part<Key> keys) const {
    if (!keys.is_uniform()) {
      local_sort(keys_of(keys), order);
    }
    return keys;
  }

  Sizes sizes(const Part<Key>& keys) const { return {{"N", keys.size()}}; }
  Sizes solution_sizes(const Part<Key>& keys) const { return {{"N", keys.size()}}; }

  /// One key from a random place in each of `count` sections of equal length. The places are asked
  /// for all at once, or each would wait for the memory.
  std::vector<Key> sample(std::span<const Key> keys, std::size_t count, std::uint64_t seed) const {
    const CounterRandom random(seed);
    std::vector<std::size_t> places(count);
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = keys.size() * (i + 1) / count;
      places[i] = first + below(random(i), std::uint64_t{next - first});
      __builtin_prefetch(&keys[places[i]]);
      first = next;
    }
    std::vector<Key> samples(count);
    std::transform(places.begin(), places.end(), samples.begin(),
                   [keys](std::size_t place) { return keys[place]; });
    return samples;
  }

  /// The left / total quantile. Ties matter from 1 % of the keys on.
  Split<Key> splitter(std::vector<Key> samples, Share share) const {
    const std::size_t place = samples.size() * share.left / share.total;
    local_select(std::span(samples), place, order);
    const Key pivot = samples[place];
    const auto ties =
        static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), [&](const Key& key) {
          return !order(key, pivot) && !order(pivot, key);
        }));
    return {.splitter = pivot, .has_ties = ties * 100 > samples.size()};
  }

  Cut partition(std::span<Key> keys, const Split<Key>& split, ClassOrder class_order) const {
    if (split.has_ties && are_all(keys, split.splitter)) {
      return {.equal = keys.size()};
    }
    const bool descends = class_order == ClassOrder::descending;
    const auto part = [&](std::span<Key> of_keys, bool or_equal) {
      return local_partition(of_keys, split.splitter, {.or_equal = or_equal, .inverted = descends},
                             order);
    };
    const std::size_t cut = part(keys, false);
    const std::size_t less = descends ? keys.size() - cut : cut;
    if (!split.has_ties) {
      return {.less = less};
    }
    const auto others = descends ? keys.first(cut) : keys.subspan(cut);
    const std::size_t cut_of_others = part(others, true);
    return {.less = less, .equal = descends ? others.size() - cut_of_others : cut_of_others};
  }

  [[no_unique_address]] Order order = {};

 private:
  static constexpr std::size_t kSamples = 4096;

  /// Whether all are as `pivot`, byte for byte as one another. Writes nothing, and ends at the
  /// first that differs.
  bool are_all(std::span<const Key> keys, const Key& pivot) const {
    return !keys.empty() && !order(keys[0], pivot) && !order(pivot, keys[0]) &&
           std::memcmp(&keys[0], &keys[0] + 1, keys.size_bytes() - sizeof(Key)) == 0;
  }

  static std::span<Key> keys_of(Part<Key>& keys) { return {keys.data(), keys.size()}; }
};

}  // namespace cleave::quicksort
