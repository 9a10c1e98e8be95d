// SPDX-License-Identifier: Apache-2.0
// A program around an application, by an installed Cleave.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <cleave/program.hpp>

struct Maximum {
  using Problem = std::vector<std::int32_t>;
  using Solution = std::int32_t;

  bool trivial(const Problem& p) const { return p.size() == 1; }
  Solution conquer(Problem p) const { return p.front(); }
  cleave::Halves<Problem> divide(Problem p) const {
    const auto middle = p.begin() + p.size() / 2;
    return {{p.begin(), middle}, {middle, p.end()}};
  }
  Solution combine(Solution left, Solution right) const { return std::max(left, right); }
};

int main(int argc, char** argv) {
  return cleave::run<Maximum>(argc, argv,
                              {
                                  .sizes = {{"N", 1 << 16}},
                                  .make_problem =
                                      [](const cleave::NamedSizes& sizes, std::uint64_t seed) {
                                        std::vector<std::int32_t> numbers(sizes.at("N"));
                                        std::generate(numbers.begin(), numbers.end(),
                                                      std::mt19937(seed));
                                        return numbers;
                                      },
                              });
}
