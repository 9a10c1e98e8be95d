// error: cleave: Node cannot cross to another rank: it holds a C array
// place: CArray, field 3 of Board
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Board {
    int depth = 0;
    double width = 1;
    char cells[3000];
  };
  struct Node {
    int depth = 0;
    std::vector<Board> boards;
  };
  void begin(int, cleave::Children<Node>&, int&) const {}
  void visit(Node, cleave::Children<Node>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
};

int main() {
  const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
  return sizeof(result) > 100 ? 1 : 0;
}
