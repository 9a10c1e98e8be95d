// error: cleave: the application's `kMergesParts` must be `static constexpr bool`
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
  static const bool kMergesParts;
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
