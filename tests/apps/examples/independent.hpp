// SPDX-License-Identifier: Apache-2.0
// Problems for the examples, and their solutions by independent methods.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "apps/examples/all_queens.hpp"
#include "apps/examples/best_fillings.hpp"
#include "apps/examples/closest_pair.hpp"
#include "apps/examples/histogram.hpp"
#include "apps/examples/karatsuba.hpp"
#include "apps/examples/knapsack.hpp"
#include "apps/examples/mergesort.hpp"
#include "apps/examples/queens.hpp"
#include "apps/examples/record_sort.hpp"

namespace cleave::examples {

/// From 0 elements on, with odd numbers and powers of two among them.
inline const std::vector<std::size_t> kLengths = {0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 65, 100, 257};

/// `count` values, each by `draw(random)`.
template <class Draw>
auto random_values(std::size_t count, unsigned seed, Draw&& draw) {
  std::mt19937_64 random(seed);
  std::vector<decltype(draw(random))> values(count);
  std::ranges::generate(values, [&] { return draw(random); });
  return values;
}

/// `count` values of `distinct` that are possible.
inline std::vector<int> random_numbers(std::size_t count, int distinct, unsigned seed) {
  return random_values(count, seed, [=](auto& random) {
    return static_cast<int>(random() % static_cast<unsigned>(distinct)) - distinct / 2;
  });
}

inline std::vector<int> sorted(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

inline Product random_product(std::size_t length, unsigned seed) {
  const auto factor = [=](unsigned of) {
    return random_values(length, of, [](auto& random) -> std::uint64_t { return random(); });
  };
  return {factor(seed), factor(seed + 1000)};
}

/// By the definition: coefficient k is the sum of all a[i] b[k - i].
inline Polynomial schoolbook(const Product& product) {
  const auto& [a, b] = product;
  Polynomial c;
  for (std::size_t k = 0; k + 1 < a.size() + b.size(); ++k) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i <= k; ++i) {
      sum += i < a.size() && k - i < b.size() ? a[i] * b[k - i] : 0;
    }
    c.push_back(sum);
  }
  return c;
}

/// On a grid of so many lines: the fewer, the more points are equal or have a coordinate in common.
inline std::vector<Point> random_points(std::size_t count, unsigned lines_x, unsigned lines_y,
                                        unsigned seed) {
  return random_values(count, seed, [=](auto& random) {
    const auto x = static_cast<double>(random() % lines_x);
    return Point{.y = static_cast<double>(random() % lines_y) / 7, .x = x / 7};
  });
}

/// The least of all pairs.
inline double closest_of_all(const std::vector<Point>& points) {
  double distance2 = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = points[i].x - points[j].x;
      const double dy = points[i].y - points[j].y;
      distance2 = std::min(distance2, dx * dx + dy * dy);
    }
  }
  return distance2;
}

inline std::vector<std::uint8_t> random_bytes(std::size_t length) {
  return random_values(length, static_cast<unsigned>(length),
                       [](auto& random) { return static_cast<std::uint8_t>(random() % 256); });
}

/// One value after the other.
inline std::vector<std::int64_t> counts_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::int64_t> counts;
  for (int value = 0; value < 256; ++value) {
    counts.push_back(std::ranges::count(bytes, value));
  }
  return counts;
}

/// Solutions of n = 0, 1, 2, ... queens (oeis.org/A000170).
inline constexpr std::int64_t kQueens[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352};

inline Board empty_board(std::int64_t queens) { return {.all = (1U << queens) - 1}; }

/// By trying all permutations.
inline std::set<std::string> all_placements(int queens) {
  std::string columns;
  for (int i = 0; i < queens; ++i) {
    columns += static_cast<char>('a' + i);
  }
  std::set<std::string> all;
  do {
    bool attacks = false;
    for (int i = 0; i < queens; ++i) {
      for (int j = 0; j < i; ++j) {
        attacks = attacks || std::abs(columns[i] - columns[j]) == i - j;
      }
    }
    if (!attacks) {
      all.insert(columns);
    }
  } while (std::ranges::next_permutation(columns).found);
  return all;
}

struct KnapsackProblem {
  Knapsack app;
  Filling empty;
};

/// Half of `count` items fit, some of which may be worth nothing.
inline KnapsackProblem random_knapsack(std::size_t count, unsigned max_weight, unsigned seed) {
  std::vector<Item> items = random_values(count, seed, [=](auto& random) {
    const auto weight = static_cast<std::int64_t>(1 + random() % max_weight);
    return Item{weight, static_cast<std::int64_t>(random() % 20)};
  });
  std::int64_t weight = 0;
  for (const Item& item : items) weight += item.weight;
  std::ranges::sort(
      items, [](const Item& a, const Item& b) { return a.value * b.weight > b.value * a.weight; });
  return {{std::move(items)}, {.decided = 0, .room = weight / 2, .value = 0}};
}

/// The best `k` of all sets that fit, by trying all.
inline std::set<ItemSet> best_sets(const KnapsackProblem& problem, std::size_t k) {
  std::set<ItemSet> sets;
  const auto& items = problem.app.items;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << items.size(); ++set) {
    Item whole = {};
    for (std::size_t i = 0; i < items.size(); ++i) {
      whole.weight += (set >> i & 1) * items[i].weight;
      whole.value += (set >> i & 1) * items[i].value;
    }
    if (whole.weight <= problem.empty.room) {
      sets.insert({whole.value, set});
      if (sets.size() > k) {
        sets.erase(std::prev(sets.end()));
      }
    }
  }
  return sets;
}

/// `distinct` is how many values each field has.
inline std::vector<Reading> random_readings(std::size_t count, unsigned distinct, unsigned seed) {
  return random_values(count, seed, [=](auto& random) {
    const std::uint64_t station = random() % distinct;
    const std::uint64_t millikelvin = random() % distinct;
    return Reading{station, millikelvin, random() % distinct};
  });
}

/// By one field after the other, from the last on: no comparison of records.
inline std::vector<Reading> sorted(std::vector<Reading> readings) {
  std::ranges::stable_sort(readings, {}, &Reading::time);
  std::ranges::stable_sort(readings, std::greater<>(), &Reading::millikelvin);
  std::ranges::stable_sort(readings, {}, &Reading::station);
  return readings;
}

}  // namespace cleave::examples
