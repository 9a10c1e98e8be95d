// error: cleave: the application's `visit` must be `void visit(Node, Children<Node>&, Solution&)
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  using Node = std::string;
  void begin(int, cleave::Children<std::string>&, int&) const {}
  void visit(int, cleave::Children<int>&, int&) const {}  // of the problem, not of the node
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
