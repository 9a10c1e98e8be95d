// error: cleave: the application must have `void begin(Problem, Children<Node>&, Solution&) const`,
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  using Node = std::string;
  void visit(std::string, cleave::Children<std::string>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
