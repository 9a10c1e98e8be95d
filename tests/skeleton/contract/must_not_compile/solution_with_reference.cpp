// error: cleave: the application must name its types `Problem` and `Solution`
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct Shares {
  const int& count;
};
struct App {
  using Problem = int;
  using Solution = Shares;
  int zero = 0;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {zero}; }
  Solution combine(Solution left, Solution) const { return left; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
