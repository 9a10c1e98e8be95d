// error: cleave: Node cannot cross to another rank: it is or holds a type with private members, a
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Step {
    int depth = 0;
    union {
      long value = 0;
      const int* pointer;
    };
  };
  struct Node {
    std::vector<Step> steps;
  };
  void begin(int, cleave::Children<Node>&, int&) const {}
  void visit(Node, cleave::Children<Node>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

int main() {
  const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
  return sizeof(result) > 100 ? 1 : 0;
}
