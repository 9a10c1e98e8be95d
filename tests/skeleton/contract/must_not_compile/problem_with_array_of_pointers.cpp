// error: cleave: the application's `Problem` is or holds a pointer, a reference or a view, whose
// place: Rows, field 2 of Part
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct Rows {
  int count;
  const int* first[3];
};
struct Part {
  int count;
  Rows rows;
};

struct App {
  using Problem = Part;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  Solution conquer(Problem) const { return 0; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution combine(Solution left, Solution right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, App::Problem{});
