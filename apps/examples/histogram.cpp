// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/histogram.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

// Bytes first to last, without last: any section can be made alone.
std::vector<std::uint8_t> random_bytes(std::int64_t first, std::int64_t last, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = first; i < last; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(random(i)));
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<Histogram>{
          .summary = "Counts how often each byte value occurs in N bytes.",
          .sizes = {{"N", 1 << 24}},
          .make_problem = [](const cleave::NamedSizes& sizes,
                             std::uint64_t seed) { return random_bytes(0, sizes.at("N"), seed); },
          .make_part =
              [](const cleave::Comm& comm, const cleave::NamedSizes& sizes, std::uint64_t seed) {
                const std::int64_t n = sizes.at("N");
                return random_bytes(n * comm.rank() / comm.size(),
                                    n * (comm.rank() + 1) / comm.size(), seed);
              },
      });
}
