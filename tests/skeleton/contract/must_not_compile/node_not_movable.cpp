// error: cleave: the application's `Node` must be movable
// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  struct Node {
    std::mutex mutex;
  };
  void begin(int, auto&, int&) const {}
  int combine(int left, int right) const { return left + right; }
  void visit(const Node&, auto&, int&) const {}
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
