// error: cleave: Solution cannot cross to another rank: it holds a C array
// place: char[1], field 2 of Long
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

struct Long {
  std::string name;
  char text[1];
};
struct App {
  using Problem = int;
  using Solution = Long;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
