// SPDX-License-Identifier: Apache-2.0
// What some programs of the gallery find, by other and slower methods. --verify compares them.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace gallery {

/// The length of the shortest tour through all cities, by dynamic programming over sets of cities
/// (M. Held and R. M. Karp, "A dynamic programming approach to sequencing problems", 1962): the
/// shortest paths from the last city through a set to one of it.
inline double shortest_tour(const std::vector<std::vector<double>>& distance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n = distance.size() - 1, sets = std::size_t{1} << n;
  std::vector<double> length(sets * n, kInfinity);
  double tour = n == 0 ? 0 : kInfinity;
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t to = 0; to < n; ++to) {
      if ((set >> to & 1) == 0) continue;
      const std::size_t rest = set ^ std::size_t{1} << to;
      double& best = length[set * n + to] = rest == 0 ? distance[n][to] : kInfinity;
      for (std::size_t from = 0; from < n; ++from) {
        best = std::min(best, length[rest * n + from] + distance[from][to]);
      }
      if (set == sets - 1) tour = std::min(tour, best + distance[to][n]);
    }
  }
  return tour;
}

/// How many of `vertices` a largest clique has. It has the first one, or one that is not joined to
/// it (C. Bron and J. Kerbosch, "Finding all cliques of an undirected graph", CACM 16, 1973).
template <class IsJoined>
std::size_t largest_clique(const std::vector<int>& vertices, const IsJoined& is_joined) {
  std::size_t largest = 0;
  std::vector<int> left = vertices;
  for (const int v : vertices) {
    if (v != vertices[0] && is_joined(v, vertices[0])) continue;
    std::vector<int> neighbours;
    for (const int w : left) {
      if (is_joined(v, w)) neighbours.push_back(w);
    }
    largest = std::max(largest, 1 + largest_clique(neighbours, is_joined));
    std::erase(left, v);
  }
  return largest;
}

/// The least sum of flow times distance of `size` facilities at as many places, by all
/// permutations.
template <class Flow, class Distance>
int least_cost(int size, const Flow& flow, const Distance& distance) {
  std::vector<int> places(size);
  std::iota(places.begin(), places.end(), 0);
  int least = std::numeric_limits<int>::max();
  do {
    int cost = 0;
    for (int i = 0; i < size * size; ++i) {
      cost += flow(i / size, i % size) * distance(places[i / size], places[i % size]);
    }
    least = std::min(least, cost);
  } while (std::ranges::next_permutation(places).found);
  return least;
}

/// The sum of factor(0, k_0) factor(1, k_1) ... over all k_i >= 0 that add up to less than
/// `levels`. Each variable is a polynomial, whose coefficient of x^k is factor(i, k), and these are
/// multiplied.
template <class Factor>
std::complex<double> sum_of_products(int variables, std::size_t levels, const Factor& factor) {
  std::vector<std::complex<double>> sums(levels);
  sums.at(0) = 1;
  for (int i = 0; i < variables; ++i) {
    std::vector<std::complex<double>> next(levels);
    for (std::size_t k = 0; k < levels; ++k) {
      const std::complex<double> by = factor(i, static_cast<int>(k));
      for (std::size_t j = k; j < levels; ++j) next[j] += sums[j - k] * by;
    }
    sums = std::move(next);
  }
  return std::accumulate(sums.begin(), sums.end(), std::complex<double>());
}

/// Number k of the discrete Fourier transform, by its definition.
inline std::complex<double> fourier(const std::vector<std::complex<double>>& signal,
                                    std::size_t k) {
  std::complex<double> sum;
  const std::size_t size = signal.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double turn = static_cast<double>(i * k % size) / static_cast<double>(size);
    sum += signal[i] * std::polar(1.0, -2 * std::numbers::pi * turn);
  }
  return sum;
}

/// Whether c = a b, row by row: c x = a (b x) for an x at random (R. Freivalds, "Probabilistic
/// machines can use less running time", 1977).
template <class Number>
bool is_product(const std::vector<Number>& a, const std::vector<Number>& b,
                const std::vector<Number>& c, std::size_t side) {
  const auto times = [side](const std::vector<Number>& m, const std::vector<Number>& x) {
    std::vector<Number> product(side);
    for (std::size_t i = 0; i < m.size(); ++i) product[i / side] += m[i] * x[i % side];
    return product;
  };
  std::vector<Number> x(side);
  std::ranges::generate(x, std::mt19937_64());
  return times(c, x) == times(a, times(b, x));
}

/// The length of a longest common subsequence: as many places of equal letters as rise in both (J.
/// W. Hunt and T. G. Szymanski, "A fast algorithm for computing longest common subsequences",
/// 1977).
inline std::size_t longest_common(std::string_view a, std::string_view b) {
  std::vector<std::size_t> ends;  // ends[k]: the first place in b where k + 1 common letters end
  for (const char letter : a) {
    for (std::size_t i = b.size(); i-- > 0;) {
      if (b[i] != letter) continue;
      const auto at = std::ranges::lower_bound(ends, i);
      at == ends.end() ? ends.push_back(i) : void(*at = i);
    }
  }
  return ends.size();
}

/// The corners of the convex hull, anticlockwise from the leftmost: from one to the next, which has
/// no point on its right (R. A. Jarvis, "On the identification of the convex hull of a finite set
/// of points in the plane", 1973).
template <class Point>
std::vector<Point> wrapped(const std::vector<Point>& points) {
  const auto turn = [](const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  std::vector<Point> hull;
  if (points.empty()) return hull;
  Point at = std::ranges::min(points);
  do {
    hull.push_back(at);
    Point next = at;
    for (const Point& p : points) {
      const auto to_right = turn(at, next, p);
      const bool is_behind = to_right == 0 && (next < at ? p < next : next < p);
      if (next == at || to_right < 0 || is_behind) next = p;
    }
    at = next;
  } while (at != hull[0]);
  return hull;
}

}  // namespace gallery
