// error: cleave: the application's `Node` must be copyable, since its `visit` takes LazyChildren
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Node {
    std::unique_ptr<int> depth;
  };
  void begin(int, cleave::Children<Node>&, int&) const {}
  void visit(const Node&, cleave::LazyChildren&, int&) const {}
  Node child(const Node&, std::int64_t) const { return {}; }
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
