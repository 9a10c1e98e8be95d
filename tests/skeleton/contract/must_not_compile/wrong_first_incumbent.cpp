// error: cleave: the application's `first_incumbent` must be `Bound first_incumbent(const
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(int, cleave::Children<int>&, int&, cleave::Incumbent<>&) const {}
  int combine(int left, int right) const { return left + right; }
  std::int64_t first_incumbent() const { return 0; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::work_stealing, App{}, 5);
