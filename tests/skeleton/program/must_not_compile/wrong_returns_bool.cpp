// error: AskedOf<
// SPDX-License-Identifier: Apache-2.0
#include <cleave/program.hpp>

struct App {
  using Problem = int;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution conquer(Problem) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
};

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<App>{
                         .make_problem = [](const cleave::NamedSizes&, std::uint64_t) { return 5; },
                         .wrong = [](const int&, const int&) { return false; }});
}
