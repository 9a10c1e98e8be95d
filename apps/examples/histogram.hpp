// SPDX-License-Identifier: Apache-2.0
// Counts how often each byte value occurs. The bytes may lie in any parts: every rank counts its
// own, and counts are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cleave/application.hpp>

struct Histogram {
  using Problem = std::vector<std::uint8_t>;
  using Solution = std::vector<std::int64_t>;

  static constexpr bool kMergesParts =
      true;  // combine of the solutions of two parts is that of both

  bool trivial(const Problem& bytes) const { return bytes.size() < 2; }
  Solution conquer(const Problem& bytes) const { return sequential(bytes); }
  cleave::Halves<Problem> divide(const Problem& bytes, cleave::Share share) const {
    const auto middle = bytes.begin() + std::ssize(bytes) * share.left / share.total;
    return {{bytes.begin(), middle}, {middle, bytes.end()}};
  }
  Solution combine(Solution left, const Solution& right) const {
    for (std::size_t value = 0; value < left.size(); ++value) {
      left[value] += right[value];
    }
    return left;
  }
  Solution sequential(const Problem& bytes) const {
    Solution counts(256);
    for (const std::uint8_t value : bytes) {
      ++counts[value];
    }
    return counts;
  }
  cleave::Sizes sizes(const Problem& bytes) const { return {{"N", bytes.size()}}; }
};
