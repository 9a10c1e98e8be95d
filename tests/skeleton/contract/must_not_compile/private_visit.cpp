// error: cleave: the application's `visit` must be `void visit(Node, Children<Node>&, Solution&)
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  int combine(int left, int right) const { return left + right; }

 private:
  void visit(int, cleave::Children<int>&, int&) const {}
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
