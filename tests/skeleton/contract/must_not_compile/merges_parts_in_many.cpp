// error: cleave: an application with `kMergesParts` or `Splitter` must have `Halves<Problem>
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  static constexpr bool kMergesParts = true;
  using Problem = int;
  using Solution = int;
  bool trivial(const int& n) const { return n < 2; }
  int conquer(int n) const { return n; }
  std::vector<int> divide(int n) const { return {n / 2, n - n / 2}; }
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
