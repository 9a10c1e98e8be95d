// error: cleave: the application's `Problem` is or holds a pointer, a reference or a view, whose
// place: const int*, field 1 of Part
// SPDX-License-Identifier: Apache-2.0
#include <cleave/dc_call.hpp>

struct Part {
  const int* first;
  int count;
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
