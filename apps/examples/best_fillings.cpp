// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/best_fillings.hpp"

#include <CLI/CLI.hpp>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

Knapsack random_knapsack(std::int64_t count, std::uint64_t seed) {
  Knapsack knapsack;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto weight = static_cast<std::int64_t>(1 + random(i) % 1000);
    knapsack.items.push_back({weight, weight + 100});
  }
  std::ranges::sort(knapsack.items, {}, &Item::weight);  // the light ones are worth most for it
  return knapsack;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t k = 5;
  return cleave::run(
      argc, argv,
      cleave::Program<BestFillings>{
          .summary = "Finds the best ways to fill a knapsack of 500 N with some of 2 N items.",
          .sizes = {{"N", 15, 32}},
          .add_options = [&](CLI::App& cli) { cli.add_option("--best", k, "how many"); },
          .application =
              [&](const cleave::RunOptions& options) {
                return BestFillings{random_knapsack(2 * options.sizes.at("N"), options.seed), k};
              },
          .make_problem =
              [](const cleave::NamedSizes& sizes, std::uint64_t) {
                return PartFilled{
                    .filling = {.decided = 0, .room = 500 * sizes.at("N"), .value = 0}};
              },
          .figures = [](const BestSets& best) -> cleave::Figures {
            std::vector<std::int64_t> values;
            for (const ItemSet& set : best.sets) {
              values.push_back(set.value);
            }
            return {{"values", values}};
          },
      });
}
