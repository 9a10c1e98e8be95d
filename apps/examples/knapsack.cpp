// SPDX-License-Identifier: Apache-2.0
#include "apps/examples/knapsack.hpp"

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

// Worth what they weigh, all even, and the room is odd: no filling reaches it (Jeroslow 1974).
std::vector<Item> random_items(std::int64_t count, std::uint64_t seed) {
  std::vector<Item> items;
  const cleave::CounterRandom random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto weight = static_cast<std::int64_t>(2 + 2 * (random(i) % 1000));
    items.push_back({weight, weight});
  }
  return items;
}

Filling half_of(const std::vector<Item>& items) {
  std::int64_t weight = 0;
  for (const Item& item : items) {
    weight += item.weight;
  }
  return {.decided = 0, .room = weight / 2 | 1, .value = 0};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Item> items;  // of the run
  return cleave::run(
      argc, argv,
      cleave::Program<Knapsack>{
          .summary = "Finds the best value of N items in a knapsack.",
          .sizes = {{"N", 26}},
          .application =
              [&](const cleave::RunOptions& options) {
                items = random_items(options.sizes.at("N"), options.seed);
                return Knapsack{items};
              },
          .make_problem = [&](const cleave::NamedSizes&, std::uint64_t) { return half_of(items); },
          .figures = [](const Best& best) -> cleave::Figures {
            return {{"value", best.value}};
          },
      });
}
