// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/record_sort.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

cleave::Part<Reading> random_readings(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  cleave::Part<Reading> readings(sizes.at("N"));
  const cleave::CounterRandom random(seed);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    readings[i] = {random(2 * i) % 1000, 200'000 + random(2 * i + 1) % 100'000, i};
  }
  return readings;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<RecordSort>{
                         .summary = "Sorts N readings by station, the warmest first.",
                         .sizes = {{"N", 2 << 20}},
                         .make_problem = random_readings,
                     });
}
