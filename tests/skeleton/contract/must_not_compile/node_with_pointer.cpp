// error: cleave: Node cannot cross to another rank: it holds a pointer
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Node {
    Node* parent = nullptr;
  };
  void begin(int, cleave::Children<Node>&, int&) const {}
  void visit(Node, cleave::Children<Node>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
