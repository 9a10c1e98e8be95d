// SPDX-License-Identifier: Apache-2.0
// The shortest tour through N cities in the plane: branch-and-bound (J. D. C. Little et al., "An
// algorithm for the traveling salesman problem", Operations Research 11, 1963). The way back from
// the last city through all that are left is at least as long as a spanning tree of these (M. Held
// and R. M. Karp, "The traveling-salesman problem and minimum spanning trees", 1970). Shown: a
// bound that is a real number.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

#include "independent.hpp"

namespace {

struct Path {
  // First those on the path, from city 0 on, then the others.
  std::array<std::int8_t, 20> cities{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                     10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  std::int8_t size = 1;  // cities on the path
  double length = 0;
};

struct Best {
  std::int64_t nodes = 0;
  Path tour{.length = cleave::Incumbent<double>::kNone};
};

struct Tour {
  using Problem = Path;
  using Solution = Best;
  using Bound = double;

  std::vector<std::vector<double>> distance;  // between two cities

  void visit(Path path, cleave::Children<Path>& children, Best& best,
             cleave::Incumbent<Bound>& incumbent) const {
    ++best.nodes;
    if (path.length + tree_of_rest(path) >= incumbent.value()) return;
    const auto& from_last = distance[path.cities[path.size - 1]];
    const bool is_tour = path.size == std::ssize(distance);
    if (is_tour && incumbent.offer(path.length += from_last[0])) best.tour = path;
    // The nearest city last, which is visited next.
    const auto rest = path.cities.begin() + path.size;
    const auto end = path.cities.begin() + std::ssize(distance);
    std::sort(rest, end, [&](int a, int b) { return from_last[a] > from_last[b]; });
    for (auto city = rest; city != end; ++city) {
      Path child = path;
      std::swap(child.cities[path.size], child.cities[city - path.cities.begin()]);
      ++child.size;
      child.length += from_last[*city];
      children.push(child);
    }
  }
  Best combine(const Best& left, const Best& right) const {
    return {left.nodes + right.nodes,
            right.tour.length < left.tour.length ? right.tour : left.tour};
  }
  cleave::Sizes solution_sizes(const Best& best) const { return {{"nodes", best.nodes}}; }
  // The length of a shortest tree of the last city, all that are left and city 0 (R. C. Prim 1957).
  double tree_of_rest(const Path& path) const {
    auto left = path.cities;      // to join the tree, from place `next` on
    std::array<double, 20> away;  // from the tree
    away.fill(cleave::Incumbent<double>::kNone);
    double length = 0;
    int newest = std::exchange(left[path.size - 1], 0);  // the tree is the last city
    for (int next = path.size - 1; next < std::ssize(distance); ++next) {
      int nearest = next;
      for (int i = next; i < std::ssize(distance); ++i) {
        away[i] = std::min(away[i], distance[newest][left[i]]);
        nearest = away[i] < away[nearest] ? i : nearest;
      }
      length += away[nearest];
      newest = left[nearest];
      left[nearest] = left[next];
      away[nearest] = away[next];
    }
    return length;
  }
};

Tour random_cities(const cleave::RunOptions& options) {
  const cleave::CounterRandom random(options.seed);
  std::vector<std::complex<double>> cities;
  for (std::int64_t i = 0; i < options.sizes.at("N"); ++i) {
    cities.emplace_back(std::ldexp(random(2 * i), -64), std::ldexp(random(2 * i + 1), -64));
  }
  Tour tour;
  for (const auto& a : cities) {
    tour.distance.emplace_back();
    for (const auto& b : cities) tour.distance.back().push_back(std::abs(a - b));
  }
  return tour;
}

}  // namespace

int main(int argc, char** argv) {
  Tour of;
  return cleave::run(
      argc, argv,
      cleave::Program<Tour>{
          .summary = "Finds the shortest tour through N cities.",
          .sizes = {{"N", 18, 20}},
          .application = [&](const auto& options) { return of = random_cities(options); },
          .make_problem = [](const auto&, auto) { return Path{}; },
          .wrong = [&](const Path&, const Best& best) -> std::optional<std::string> {
            const double right = gallery::shortest_tour(of.distance);
            if (std::abs(best.tour.length - right) < 1e-9) return std::nullopt;
            return "the shortest has length " + std::to_string(right);
          },
          .figures = [](const Best& b) -> cleave::Figures {
            return {{"length", b.tour.length}};
          },
      });
}
