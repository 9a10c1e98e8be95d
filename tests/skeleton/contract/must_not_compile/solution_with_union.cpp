// error: cleave: Solution cannot cross to another rank: it is or holds a type with private members,
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  struct Solution {
    union {
      const int* best = nullptr;
      long value;
    };
    int count = 0;
  };
  using Problem = int;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

int main() {
  const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
  return sizeof(result) > 100 ? 1 : 0;
}
