// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/mergesort.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

std::vector<int> random_numbers(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  std::vector<int> numbers;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = 0; i < sizes.at("N"); ++i) {
    numbers.push_back(static_cast<int>(random(i)));
  }
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Mergesort>{
                         .summary = "Sorts N integers by merging sorted halves.",
                         .sizes = {{"N", 4 << 20}},
                         .make_problem = random_numbers,
                     });
}
