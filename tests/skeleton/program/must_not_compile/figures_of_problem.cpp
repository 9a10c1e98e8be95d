// error: cleave: the application's `figures` must be `cleave::Figures figures(const Solution&)
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <cleave/program.hpp>

struct App {
  using Problem = std::vector<int>;
  using Solution = int;
  bool trivial(const Problem&) const { return true; }
  cleave::Halves<Problem> divide(Problem problem) const { return {problem, problem}; }
  Solution conquer(Problem) const { return {}; }
  Solution combine(Solution left, Solution) const { return left; }
  Problem make_problem(const cleave::NamedSizes&, std::uint64_t) const { return {5}; }
  cleave::Figures figures(const std::vector<int>&) const { return {}; }
};

int main(int argc, char** argv) { return cleave::run<App>(argc, argv); }
