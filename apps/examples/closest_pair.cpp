// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/closest_pair.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

std::vector<Point> random_points(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  std::vector<Point> points;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = 0; i < sizes.at("N"); ++i) {
    points.push_back({std::ldexp(random(2 * i), -64), std::ldexp(random(2 * i + 1), -64)});
  }
  return points;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<ClosestPair>{
                         .summary = "Finds the distance of the closest of N points.",
                         .sizes = {{"N", 1 << 20}},
                         .make_problem = random_points,
                     });
}
