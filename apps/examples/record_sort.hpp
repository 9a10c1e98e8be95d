// SPDX-License-Identifier: Apache-2.0
// Sorts records that are spread over the ranks, in an order of their own: hypercube quicksort
// (Wagar 1987). At each level the ranks of a group choose a splitter from samples, partition their
// parts around it and exchange; in the end each rank sorts its part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/random.hpp>

struct Reading {
  std::uint64_t station, millikelvin, time;
  bool operator==(const Reading&) const = default;
};

// By station, the warmest first. Few readings are equal; many would need ties (Split::has_ties).
inline bool before(const Reading& a, const Reading& b) {
  return std::tie(a.station, b.millikelvin, a.time) < std::tie(b.station, a.millikelvin, b.time);
}

struct RecordSort {
  using Element = Reading;
  using Splitter = Reading;
  using Problem = cleave::Part<Reading>;
  using Solution = cleave::Part<Reading>;
  using Split = cleave::Split<Reading>;

  bool trivial(const Problem& part) const { return part.size() < 2; }
  Solution conquer(Problem part) const { return part; }
  cleave::Halves<Problem> divide(Problem part, cleave::Share share) const {
    const std::size_t left = part.size() * share.left / share.total;
    std::ranges::nth_element(part, part.begin() + left, before);
    const std::span<const Reading> all(part);
    return {Problem(all.first(left)), Problem(all.subspan(left))};
  }
  Solution combine(Solution left, const Solution& right) const {
    left.make_room_behind(right.size());
    std::ranges::copy(right, left.grow_behind(right.size()).begin());
    return left;
  }
  Solution sequential(Problem part) const {
    std::ranges::sort(part, before);
    return part;
  }
  // Parts that one of several threads sorts alone, in some milliseconds.
  bool small(const Problem& part) const { return part.size() <= 1 << 16; }
  std::vector<Reading> sample(std::span<const Reading> part, std::size_t count,
                              std::uint64_t seed) const {
    std::vector<Reading> samples(count);
    const cleave::CounterRandom random(seed);
    std::ranges::generate(samples,
                          [&, i = 0]() mutable { return part[random(i++) % part.size()]; });
    return samples;
  }
  Split splitter(std::vector<Reading> samples, cleave::Share share) const {
    const auto place = samples.begin() + std::ssize(samples) * share.left / share.total;
    std::ranges::nth_element(samples, place, before);
    return {*place};
  }
  cleave::Cut partition(std::span<Reading> part, const Split& split,
                        cleave::ClassOrder order) const {
    const bool ascends = order == cleave::ClassOrder::ascending;
    const auto is_first = [&](const Reading& r) { return before(r, split.splitter) == ascends; };
    const std::size_t first = std::partition(part.begin(), part.end(), is_first) - part.begin();
    return {.less = ascends ? first : part.size() - first};
  }
  cleave::Sizes sizes(const Problem& part) const { return {{"N", part.size()}}; }
  cleave::Sizes solution_sizes(const Solution& part) const { return {{"N", part.size()}}; }
};
