// error: cleave: the application must have `bool trivial(const Problem&) const`
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int conquer(int n) const { return n; }
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
