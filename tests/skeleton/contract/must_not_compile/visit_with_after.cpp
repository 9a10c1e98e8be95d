// error: cleave: an application with `visit` has no `after`
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  void visit(int n, cleave::Children<int>& children, int& total) const { total += n; }
  int combine(int left, int right) const { return left + right; }
  int after(const int& n, int solution) const { return n + solution; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, 5);
