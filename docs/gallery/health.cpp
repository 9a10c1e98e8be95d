// SPDX-License-Identifier: Apache-2.0
// Villages with hospitals, which refer patients to the one above (after the health simulation of G.
// Lomow et al., "A performance study of Time Warp", 1988). Patients go up only, so a village is
// simulated for all steps once those below it are. Shown: work on the parent after its children.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

struct Region {                          // of a village with all below it, or of some
  std::int64_t treated = 0, waited = 0;  // patients; patients times steps
  std::vector<std::int64_t> referred;    // the steps in which a patient goes to the village above
};

struct Hospital {
  cleave::CounterRandom random;
  std::int64_t waiting = 0, free_at = 0;

  // One step: a villager may fall ill; the next patient is treated, or referred.
  void step(std::int64_t now, Region& region) {
    const std::uint64_t dice = random(now);
    waiting += dice % 8 == 0 ? 1 : 0;
    if (waiting > 0 && now >= free_at) {
      --waiting;
      free_at = now + 1 + static_cast<std::int64_t>(dice / 8 % 4);
      dice / 32 % 8 == 0 ? region.referred.push_back(now) : void(++region.treated);
    }
    region.waited += waiting;
  }
};

// A problem is a village with all below it. Those of village v are 4 v + 1 to 4 v + 4.
struct Health {
  using Problem = std::int64_t;
  using Solution = Region;

  static constexpr std::int64_t kSteps = 10'000;
  std::int64_t inner = 0;  // villages with others below
  std::uint64_t seed = 0;

  bool trivial(std::int64_t v) const { return v >= inner; }
  Region conquer(std::int64_t v) const { return after(v, {}); }
  std::vector<std::int64_t> divide(std::int64_t v) const {
    return {4 * v + 1, 4 * v + 2, 4 * v + 3, 4 * v + 4};
  }
  Region combine(Region left, const Region& right) const {
    left.treated += right.treated;
    left.waited += right.waited;
    left.referred.insert(left.referred.end(), right.referred.begin(), right.referred.end());
    return left;
  }
  // All steps of a village after those below, of which `region` has the sums.
  Region after(std::int64_t village, Region region) const {
    std::vector<std::int64_t> arriving(kSteps);
    for (const std::int64_t step : std::exchange(region.referred, {})) ++arriving[step];
    Hospital at = hospital(village);
    for (std::int64_t now = 0; now < kSteps; ++now) {
      at.waiting += arriving[now];
      at.step(now, region);
    }
    return region;
  }
  cleave::Sizes sizes(std::int64_t v) const {
    std::int64_t all = 0, width = 1;
    for (; v <= 4 * inner; v = 4 * v + 1, width *= 4) all += std::min(width, 4 * inner + 1 - v);
    return {{"N", all}};
  }

  Hospital hospital(std::int64_t village) const {
    return {cleave::CounterRandom(seed + static_cast<std::uint64_t>(village))};
  }
};

// All villages step by step, as the original does.
std::optional<std::string> wrong(const Health& health, const Region& found) {
  Region all;
  std::vector<Hospital> hospitals;
  for (std::int64_t v = 0; v <= 4 * health.inner; ++v) hospitals.push_back(health.hospital(v));
  for (std::int64_t now = 0; now < Health::kSteps; ++now) {
    for (std::int64_t v = 4 * health.inner; v >= 0; --v) {
      const std::size_t before = all.referred.size();
      hospitals[v].step(now, all);
      hospitals[(v - 1) / 4].waiting += v > 0 && all.referred.size() > before ? 1 : 0;
    }
  }
  if (found.treated == all.treated && found.waited == all.waited) return std::nullopt;
  return "step by step " + std::to_string(all.treated) + " patients are treated";
}

}  // namespace

int main(int argc, char** argv) {
  Health health;
  return cleave::run(argc, argv,
                     cleave::Program<Health>{
                         .summary = "Simulates the hospitals of N villages for 10,000 steps.",
                         .sizes = {{"N", 1365}},
                         .application =
                             [&](const cleave::RunOptions& options) {
                               return health = {(options.sizes.at("N") - 1) / 4, options.seed};
                             },
                         .make_problem = [](const auto&, auto) { return std::int64_t{0}; },
                         .wrong = [&](auto, const Region& found) { return wrong(health, found); },
                         .figures = [](const Region& region) -> cleave::Figures {
                           return {{"treated", region.treated}, {"waited", region.waited}};
                         },
                     });
}
