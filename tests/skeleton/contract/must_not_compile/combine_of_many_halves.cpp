// error: cleave: the application must have `Solution combine(Solution left, Solution right) const`
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  bool trivial(const int& n) const { return n < 2; }
  int conquer(int n) const { return n; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int combine(std::vector<int> solutions) const { return solutions[0] + solutions[1]; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
