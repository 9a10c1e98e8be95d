// error: cleave: the application's `visit` must have an `Incumbent<Bound>&` as fourth argument,
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(int, cleave::Children<int>&, int&) const {}
  int combine(int left, int right) const { return left + right; }
  std::int64_t first_incumbent(const int&) const { return 0; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
