// error: cleave: Solution cannot cross to another rank: it is or holds a type with private members
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

class Counter {
 public:
  void add() { ++count_; }

 private:
  int count_ = 0;
};
struct App {
  using Problem = int;
  using Solution = std::vector<Counter>;
  bool trivial(const int& n) const { return n < 2; }
  cleave::Halves<int> divide(int n) const { return {n / 2, n - n / 2}; }
  Solution conquer(int) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
