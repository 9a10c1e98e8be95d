// error: cleave: the application must be a class that is not final
// SPDX-License-Identifier: Apache-2.0
#include <cleave/program.hpp>

struct App final {
  using Problem = int;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution conquer(Problem) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
  int make_problem(const cleave::NamedSizes&, std::uint64_t) const { return 5; }
};

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
