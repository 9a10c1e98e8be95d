// error: cleave: Node cannot cross to another rank: it is or holds a type with a base class
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct Depth {
  int depth = 0;
};
struct App {
  using Problem = int;
  using Solution = int;
  struct Node : Depth {
    int value = 0;
  };
  void begin(int, cleave::Children<Node>&, int&) const {}
  void visit(Node, cleave::Children<Node>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
