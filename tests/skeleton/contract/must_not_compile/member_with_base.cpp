// error: cleave: Solution cannot cross to another rank: it is or holds a type with a base class
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <vector>

#include <cleave/dc_call.hpp>

struct Base {
  int nodes = 0;
};
struct Leg : Base {
  int cost = 0;
};
struct Tour {
  std::array<std::array<double, 3>, 3> matrix;
  std::map<int, Leg> legs;
};
struct App {
  using Problem = int;
  using Solution = std::vector<Tour>;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
