// SPDX-License-Identifier: Apache-2.0
// The accelerations of N bodies in a plane by their gravity. Bodies far away act as one in their
// centre of mass (J. Barnes and P. Hut, "A hierarchical O(N log N) force-calculation algorithm",
// Nature 324, 1986), here by a k-d tree (J. L. Bentley, "Multidimensional binary search trees used
// for associative searching", CACM 18, 1975). Shown: all ranks share the tree; a problem is a
// range.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

using Vector = std::complex<double>;

struct Range {  // of bodies, without the last
  std::int64_t first = 0, last = 0;
};

struct Cell {  // of the tree
  Range bodies;
  Vector center;          // of their mass; each body has mass 1
  double radius2 = 0;     // square of their largest distance from it
  std::size_t right = 0;  // below it; the left one comes next. 0: none
};

struct Gravity {
  using Problem = Range;
  using Solution = std::vector<Vector>;  // accelerations

  std::vector<Vector> bodies;
  std::vector<Cell> cells;  // the root first

  bool trivial(const Range& range) const { return range.last - range.first <= 64; }
  Solution conquer(const Range& range) const {
    Solution accelerations;
    for (std::int64_t i = range.first; i < range.last; ++i) {
      accelerations.push_back(attraction(bodies[i], 0));
    }
    return accelerations;
  }
  cleave::Halves<Range> divide(const Range& r, cleave::Share share) const {
    const std::int64_t middle = r.first + (r.last - r.first) * share.left / share.total;
    return {{r.first, middle}, {middle, r.last}};
  }
  Solution combine(Solution left, const Solution& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  cleave::Sizes sizes(const Range& range) const { return {{"N", range.last - range.first}}; }
  cleave::Sizes solution_sizes(const Solution& s) const { return {{"N", s.size()}}; }

  static Vector pull(Vector body, Vector by) {
    const double distance2 = std::norm(by - body) + 1e-6;  // softened
    return (by - body) / (distance2 * std::sqrt(distance2));
  }
  // Appends the cell of these bodies, which are reordered, and those below it.
  void grow(const Range& range, bool by_x) {
    const auto first = bodies.begin() + range.first, last = bodies.begin() + range.last;
    Vector center;
    double radius2 = 0;
    for (auto at = first; at != last; ++at) center += *at / static_cast<double>(last - first);
    for (auto at = first; at != last; ++at) radius2 = std::max(radius2, std::norm(*at - center));
    const std::size_t place = cells.size();
    cells.push_back({range, center, radius2});
    if (last - first <= 8) return;
    const std::int64_t middle = (range.first + range.last) / 2;
    const auto key = [&](Vector v) { return by_x ? v.real() : v.imag(); };
    std::ranges::nth_element(first, bodies.begin() + middle, last, {}, key);
    grow({range.first, middle}, !by_x);
    cells[place].right = cells.size();
    grow({middle, range.last}, !by_x);
  }
  Vector attraction(Vector body, std::size_t place) const {
    const Cell& cell = cells[place];
    if (64 * cell.radius2 < std::norm(body - cell.center)) {
      return static_cast<double>(cell.bodies.last - cell.bodies.first) * pull(body, cell.center);
    }
    if (cell.right != 0) return attraction(body, place + 1) + attraction(body, cell.right);
    Vector sum;
    for (auto i = cell.bodies.first; i < cell.bodies.last; ++i) sum += pull(body, bodies[i]);
    return sum;
  }
};

Gravity random_bodies(const cleave::RunOptions& options) {
  const cleave::CounterRandom random(options.seed);
  Gravity gravity;
  for (std::int64_t i = 0; i < 2 * options.sizes.at("N"); i += 2) {
    gravity.bodies.emplace_back(std::ldexp(random(i), -64), std::ldexp(random(i + 1), -64));
  }
  gravity.grow({0, options.sizes.at("N")}, true);
  return gravity;
}

// By the sum over all bodies, for some of them. All bodies at distance 1 pull by their number.
std::optional<std::string> wrong(const Gravity& of, const std::vector<Vector>& found) {
  for (std::size_t i = 0; i < found.size(); i += found.size() / 50 + 1) {
    Vector right;
    for (const Vector body : of.bodies) right += Gravity::pull(of.bodies[i], body);
    const double error = std::abs(found[i] - right) / static_cast<double>(found.size());
    if (!(error < 0.02)) return "body " + std::to_string(i) + " is off";
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  Gravity gravity;
  return cleave::run(
      argc, argv,
      cleave::Program<Gravity>{
          .summary = "Finds the accelerations of N bodies.",
          .sizes = {{"N", 1 << 17}},
          .application = [&](const auto& options) { return gravity = random_bodies(options); },
          .make_problem = [](const auto& n, auto) { return Range{.last = n.at("N")}; },
          .wrong = [&](auto, const auto& found) { return wrong(gravity, found); },
      });
}
