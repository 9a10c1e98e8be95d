// error: cleave: the value that is offered does not fit the incumbent's type without loss: name the
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(int, cleave::Children<int>&, int&, cleave::Incumbent<>& incumbent) const {
    incumbent.offer(3.2);
  }
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
