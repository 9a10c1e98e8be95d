// error: cleave: the application must have `Solution combine(Solution left, Solution right) const`,
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(int, cleave::Children<int>&, int&) const {}
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
