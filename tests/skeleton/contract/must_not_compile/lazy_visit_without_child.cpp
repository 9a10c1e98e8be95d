// error: cleave: the application must have `Node child(const Node& parent, std::int64_t index)
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(const int& node, cleave::LazyChildren& children, int&) const { children.lazy(node); }
  int child(int index) const { return index; }  // of which parent?
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
