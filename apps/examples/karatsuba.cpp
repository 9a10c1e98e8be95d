// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/karatsuba.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

Product random_product(const cleave::NamedSizes& sizes, std::uint64_t seed) {
  Product product;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = 0; i < sizes.at("N"); ++i) {
    product[0].push_back(random(2 * i));
    product[1].push_back(random(2 * i + 1));
  }
  return product;
}

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(argc, argv,
                     cleave::Program<Karatsuba>{
                         .summary = "Multiplies two polynomials of N coefficients.",
                         .sizes = {{"N", 64 << 10}},
                         .make_problem = random_product,
                     });
}
