// error: cleave: Node cannot cross to another rank: it holds a pointer
// place: const int*, field 2 of Step
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Step {
    int depth = 0;
    const int* found = nullptr;
  };
  struct Node {
    int depth = 0;
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
