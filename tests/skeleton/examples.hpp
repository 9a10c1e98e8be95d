// Small applications that the tests of the skeleton run: one for each way of using it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "skeleton/application.hpp"

namespace cleave::examples {

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
