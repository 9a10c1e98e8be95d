// SPDX-License-Identifier: Apache-2.0
// Small applications that the tests of the skeleton run: one for each way of using it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>

namespace cleave::examples {

inline const Comm& world() {
  static const Comm comm(MPI_COMM_WORLD);
  return comm;
}

inline std::vector<int> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<int>(random() >> 1); });
  return values;
}

/// Sorts; a Problem that is a plain vector, all optional members.
struct Mergesort {
  using Problem = std::vector<int>;
  using Solution = std::vector<int>;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(Problem p) const { return p; }
  Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + std::ssize(p) / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  Solution combine(Solution left, Solution right) const {
    Solution merged(left.size() + right.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), merged.begin());
    return merged;
  }
  Solution sequential(Problem p) const {
    std::stable_sort(p.begin(), p.end());
    return p;
  }
  Sizes sizes(const Problem& p) const { return {{"N", p.size()}}; }
  Sizes solution_sizes(const Solution& s) const { return {{"N", s.size()}}; }
};

/// Sorts parts that lie anyhow, and merges them.
struct MergedParts : Mergesort {
  static constexpr bool kMergesParts = true;
};

/// Sorts integers that are spread over the ranks, with scalar code throughout.
struct SplitSort {
  using Element = int;
  using Splitter = int;
  using Problem = Part<int>;
  using Solution = Part<int>;

  bool trivial(const Problem& p) const { return p.size() < 2; }
  Solution conquer(Problem p) const { return p; }
  Halves<Problem> divide(Problem p) const {
    std::nth_element(p.begin(), p.begin() + p.size() / 2, p.end());
    Problem right(std::span<const int>(p.begin() + p.size() / 2, p.end()));
    p.drop_last(right.size());
    return {std::move(p), std::move(right)};
  }
  Solution combine(Solution left, const Solution& right) const {
    left.make_room_behind(right.size());
    std::copy(right.begin(), right.end(), left.grow_behind(right.size()).begin());
    return left;
  }
  Solution sequential(Problem p) const {
    std::sort(p.begin(), p.end());
    return p;
  }
  Sizes sizes(const Problem& p) const { return {{"N", p.size()}}; }

  std::vector<int> sample(std::span<const int> part, std::size_t count, std::uint64_t seed) const {
    std::vector<int> samples;
    for (std::size_t i = 0; i < count; ++i) {
      samples.push_back(part[(seed + i * part.size() / count) % part.size()]);
    }
    return samples;
  }
  Split<int> splitter(std::vector<int> samples, Share share) const {
    const auto place = samples.begin() + std::ssize(samples) * share.left / share.total;
    std::nth_element(samples.begin(), place, samples.end());
    return {.splitter = *place, .has_ties = true};
  }
  Cut partition(std::span<int> part, const Split<int>& split, ClassOrder order) const {
    const int splitter = split.splitter;
    const auto class_of = [&](int x) { return (x > splitter) - (x < splitter); };
    const auto less = std::count_if(part.begin(), part.end(), [&](int x) { return x < splitter; });
    const auto equal = std::count(part.begin(), part.end(), splitter);
    std::sort(part.begin(), part.end(), [&](int a, int b) {
      return order == ClassOrder::ascending ? class_of(a) < class_of(b) : class_of(a) > class_of(b);
    });
    return {static_cast<std::size_t>(less), static_cast<std::size_t>(equal)};
  }
};

/// Concatenates, so the order of the halves shows; packed types; divides by share; no `sequential`.
struct Concatenate {
  using Problem = std::vector<std::string>;
  using Solution = std::string;

  bool trivial(const Problem& p) const { return p.size() <= 1; }
  Solution conquer(Problem p) const { return p.empty() ? "" : p.front(); }
  Halves<Problem> divide(Problem p, Share share) const {
    const auto left = std::max<std::ptrdiff_t>(1, std::ssize(p) * share.left / share.total);
    return {{p.begin(), p.begin() + left}, {p.begin() + left, p.end()}};
  }
  Solution combine(Solution left, Solution right) const { return left + right; }
};

/// Counts the calls of each functor on a full tree; the solution is the sum of a range.
struct CountCalls {
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  struct Calls {
    std::atomic<int> divide = 0, combine = 0, conquer = 0, sequential = 0;
  };
  using Problem = Range;
  using Solution = std::int64_t;

  bool trivial(const Problem& p) const { return p.last - p.first <= 1; }
  Solution conquer(Problem p) const {
    ++calls->conquer;
    return p.last > p.first ? p.first : 0;
  }
  Halves<Problem> divide(Problem p) const {
    ++calls->divide;
    const std::int64_t middle = std::midpoint(p.first, p.last);
    return {{p.first, middle}, {middle, p.last}};
  }
  Solution combine(Solution left, Solution right) const {
    ++calls->combine;
    return left + right;
  }
  Solution sequential(Problem p) const {
    ++calls->sequential;
    Solution sum = 0;
    for (std::int64_t i = p.first; i < p.last; ++i) {
      sum += i;
    }
    return sum;
  }

  Calls* calls;
};

}  // namespace cleave::examples
