// error: cleave: the application's `Problem` is or holds a pointer, a reference or a view, whose
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <cleave/dc_call.hpp>

struct Numbers {
  int count = 0;
  const int* first = nullptr;
};
struct Part : Numbers {
  std::string name;
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
