// SPDX-License-Identifier: Apache-2.0
// The convex hull of points in the plane: that of two sets is that of their hulls (F. P. Preparata
// and S. J. Hong, "Convex hulls of finite sets of points in two and three dimensions", CACM 20,
// 1977). A rank finds that of its points from left to right (A. M. Andrew, "Another efficient
// algorithm for convex hulls in two dimensions", 1979). Shown: a problem that lies in parts.
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

struct Point {
  std::int64_t x = 0, y = 0;
  auto operator<=>(const Point&) const = default;  // from left to right
};
using Points = std::vector<Point>;

// Above 0 if a, b, c turn to the left, 0 if they lie on a line.
std::int64_t turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

struct ConvexHull {
  using Problem = Points;
  using Solution = Points;  // the corners from the leftmost on, anticlockwise
  static constexpr bool kMergesParts = true;

  bool trivial(const Points& points) const { return points.size() < 2; }
  Points conquer(const Points& points) const { return points; }
  cleave::Halves<Points> divide(const Points& points, cleave::Share share) const {
    const auto middle = points.begin() + std::ssize(points) * share.left / share.total;
    return {{points.begin(), middle}, {middle, points.end()}};
  }
  Points combine(Points left, const Points& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return sequential(std::move(left));
  }
  Points sequential(Points points) const {
    std::ranges::sort(points);
    const auto [first, last] = std::ranges::unique(points);
    points.erase(first, last);
    if (points.size() < 3) return points;
    Points hull;
    for (int side = 0; side < 2; ++side) {  // below, and above on the way back
      const std::size_t begin = hull.size();
      for (const Point& p : points) {
        while (hull.size() >= begin + 2 && turn(hull.end()[-2], hull.back(), p) <= 0)
          hull.pop_back();
        hull.push_back(p);
      }
      hull.pop_back();  // where the other side begins
      std::ranges::reverse(points);
    }
    return hull;
  }
  cleave::Sizes sizes(const Points& points) const { return {{"N", points.size()}}; }
  cleave::Sizes solution_sizes(const Points& hull) const { return {{"corners", hull.size()}}; }
};

// Points first to last - 1 of those in a disc.
Points points_in_disc(std::int64_t first, std::int64_t last, std::uint64_t seed) {
  const cleave::CounterRandom random(seed);
  Points points;
  for (std::int64_t i = first; i < last; ++i) {
    const double radius = 0x1p30 * std::sqrt(std::ldexp(random(2 * i), -64));
    const double angle = 2 * std::numbers::pi * std::ldexp(random(2 * i + 1), -64);
    points.push_back(
        {std::llround(radius * std::cos(angle)), std::llround(radius * std::sin(angle))});
  }
  return points;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<ConvexHull>{
          .summary = "Finds the convex hull of N points.",
          .sizes = {{"N", 1 << 21}},
          .make_problem = [](const cleave::NamedSizes& sizes,
                             std::uint64_t seed) { return points_in_disc(0, sizes.at("N"), seed); },
          .make_part =
              [](const cleave::Comm& comm, const cleave::NamedSizes& sizes, std::uint64_t seed) {
                const std::int64_t n = sizes.at("N");
                return points_in_disc(n * comm.rank() / comm.size(),
                                      n * (comm.rank() + 1) / comm.size(), seed);
              },
          .wrong = [](const Points& points, const Points& hull) -> std::optional<std::string> {
            if (hull == gallery::wrapped(points)) return std::nullopt;
            return "it is not what wrapping the points finds";
          },
          .figures = [](const Points& hull) -> cleave::Figures {
            return {{"corners", hull.size()}};
          },
      });
}
