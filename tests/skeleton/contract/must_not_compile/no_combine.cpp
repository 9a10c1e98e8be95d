// error: cleave: the application must have `Solution combine(Solution left, Solution right) const`
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int conquer(int n) const { return n; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
