// SPDX-License-Identifier: Apache-2.0
// Mergesort: halves are sorted apart and merged (Knuth, The Art of Computer Programming 3, 5.2.4).
#pragma once

#include <algorithm>
#include <vector>

#include <cleave/application.hpp>

struct Mergesort {
  using Problem = std::vector<int>;
  using Solution = std::vector<int>;

  bool trivial(const Problem& numbers) const { return numbers.size() < 2; }
  Solution conquer(Problem numbers) const { return numbers; }
  cleave::Halves<Problem> divide(const Problem& numbers, cleave::Share share) const {
    const auto middle = numbers.begin() + std::ssize(numbers) * share.left / share.total;
    return {{numbers.begin(), middle}, {middle, numbers.end()}};
  }
  Solution combine(const Solution& left, const Solution& right) const {
    Solution merged(left.size() + right.size());
    std::ranges::merge(left, right, merged.begin());
    return merged;
  }
  Solution sequential(Problem numbers) const {
    std::ranges::sort(numbers);
    return numbers;
  }
  // Parts that one of several threads sorts alone, in some milliseconds.
  bool small(const Problem& numbers) const { return numbers.size() <= 1 << 16; }
  cleave::Sizes sizes(const Problem& numbers) const { return {{"N", numbers.size()}}; }
  cleave::Sizes solution_sizes(const Solution& sorted) const { return {{"N", sorted.size()}}; }
};
