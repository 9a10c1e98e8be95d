// error: cleave: the application's `Problem` is or holds a pointer, a reference or a view, whose
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <vector>

#include <cleave/dc_call.hpp>

struct App {
  using Problem = std::vector<std::reference_wrapper<const int>>;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  Solution conquer(Problem) const { return 0; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution combine(Solution left, Solution right) const { return left + right; }
};

const auto result = cleave::DC_Call(cleave::DC_Type::hypercube, App{}, App::Problem{});
