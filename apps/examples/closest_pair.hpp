// SPDX-License-Identifier: Apache-2.0
// The closest pair of points in the plane (Shamos and Hoey 1975). The points left and right of a
// vertical line are solved apart. A pair across the line is closer only if both points are nearer
// to the line than the closest pair of either side. Each solution keeps these few points in strips.
#pragma once

#include <algorithm>
#include <compare>
#include <limits>
#include <vector>

#include <cleave/application.hpp>

struct Point {
  double y, x;
  auto operator<=>(const Point&) const = default;  // from bottom to top
};

struct ClosestPair {
  using Problem = std::vector<Point>;
  using Strip = std::vector<Point>;  // sorted
  struct Solution {                  // of the points between two vertical lines
    double min_x = kInfinity, max_x = -kInfinity;
    double distance2 = kInfinity;  // of the closest pair, squared
    Strip left, right;             // points nearer than that to min_x, to max_x
    bool operator==(const Solution&) const = default;
  };

  bool trivial(const Problem& points) const { return points.size() < 2; }
  Solution conquer(const Problem& p) const {
    return p.empty() ? Solution{} : Solution{p[0].x, p[0].x, kInfinity, p, p};
  }
  cleave::Halves<Problem> divide(Problem points, cleave::Share share) const {
    const auto line = points.begin() + std::ssize(points) * share.left / share.total;
    std::ranges::nth_element(points, line, {}, &Point::x);
    return {{points.begin(), line}, {line, points.end()}};
  }
  Solution combine(const Solution& left, const Solution& right) const {
    Solution both = {std::min(left.min_x, right.min_x), std::max(left.max_x, right.max_x),
                     std::min(left.distance2, right.distance2)};
    both.distance2 = across(left.right, right.left, both.distance2);
    both.left = near(both.min_x, both.distance2, left.left, right.left);
    both.right = near(both.max_x, both.distance2, left.right, right.right);
    return both;
  }
  cleave::Sizes sizes(const Problem& points) const { return {{"N", points.size()}}; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static double square(double x) { return x * x; }

  // The minimum of distance2 and of pairs between two strips, which are climbed together.
  static double across(const Strip& left, const Strip& right, double distance2) {
    auto first = right.begin();  // that is not too far below p
    for (const Point p : left) {
      const auto is_near = [&](Point q) { return square(q.y - p.y) < distance2; };
      first = std::find_if(first, right.end(), [&](Point q) { return q.y > p.y || is_near(q); });
      for (auto q = first; q != right.end() && (q->y < p.y || is_near(*q)); ++q) {
        distance2 = std::min(distance2, square(q->x - p.x) + square(q->y - p.y));
      }
    }
    return distance2;
  }
  static Strip near(double x, double distance2, const Strip& a, const Strip& b) {
    Strip both(a.size() + b.size());
    std::ranges::merge(a, b, both.begin());
    std::erase_if(both, [&](Point p) { return square(p.x - x) >= distance2; });
    return both;
  }
};
