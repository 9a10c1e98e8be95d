// error: cleave: the program's `with_application` must be `template <class Run> void
// SPDX-License-Identifier: Apache-2.0
#include <cleave/program.hpp>

struct Sum {
  using Problem = int;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution conquer(Problem) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
  int make_problem(const cleave::NamedSizes&, std::uint64_t) const { return 5; }
};

struct App {
  using Application = Sum;
  template <class Run>
  void with_application(Run&& run) const {
    run(Sum{});
  }
};

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
