// error: cleave: the application's `begin` must be `void begin(Problem, Children<Node>&, Solution&)
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void begin(int) const {}
  void visit(int, cleave::Children<int>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
