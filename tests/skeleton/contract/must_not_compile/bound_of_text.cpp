// error: cleave: the Bound of an incumbent must be an integer of at most 64 bits, float, double, or
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  using Bound = std::string;
  void visit(int, cleave::Children<int>&, int&, cleave::Incumbent<Bound>&) const {}
  int combine(int left, int right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
