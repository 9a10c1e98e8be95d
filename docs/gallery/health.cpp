// SPDX-License-Identifier: Apache-2.0
// Villages with hospitals, which refer patients to the one above (after the health simulation of G.
// Lomow et al., "A performance study of Time Warp", 1988). Patients go up only, so a village is
// simulated for all steps once those below it are. Shown: work on the parent after its children. A
// solution is of some of the four below a village; the last combine of these simulates the village.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

namespace {

struct Region {  // villages first to last - 1, with all below them
  std::int64_t first = 0, last = 1;
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

// A problem is a region that is not simulated yet. Those below village v are 4 v + 1 to 4 v + 4.
struct Health {
  using Problem = Region;
  using Solution = Region;

  static constexpr std::int64_t kSteps = 10'000;
  std::int64_t inner = 0;  // villages with others below
  std::uint64_t seed = 0;

  bool trivial(const Region& r) const { return r.last - r.first == 1 && r.first >= inner; }
  Region conquer(Region leaf) const { return simulated(leaf.first, std::move(leaf)); }
  cleave::Halves<Region> divide(const Region& r, cleave::Share share) const {
    const bool is_one = r.last - r.first == 1;
    const std::int64_t first = is_one ? 4 * r.first + 1 : r.first;
    const std::int64_t size = is_one ? 4 : r.last - r.first, left = size * share.left / share.total;
    const std::int64_t middle = first + std::clamp<std::int64_t>(left, 1, size - 1);
    return {{first, middle}, {middle, first + size}};
  }
  Region combine(const Region& left, const Region& right) const {
    Region both{left.first, right.last, left.treated + right.treated, left.waited + right.waited};
    std::ranges::merge(left.referred, right.referred, std::back_inserter(both.referred));
    return both.last - both.first < 4 ? both : simulated(both.first / 4, std::move(both));
  }
  cleave::Sizes sizes(const Region& r) const {
    const std::int64_t all = 4 * inner + 1;
    std::int64_t villages = 0;
    for (auto [a, b] = std::pair(r.first, r.last); a < all; a = 4 * a + 1, b = 4 * b + 1) {
      villages += std::min(b, all) - a;
    }
    return {{"N", villages}};
  }

  Hospital hospital(std::int64_t village) const {
    return {cleave::CounterRandom(seed + static_cast<std::uint64_t>(village))};
  }
  // All steps of a village after those below, of which `region` has the sums.
  Region simulated(std::int64_t village, Region region) const {
    const std::vector<std::int64_t> arriving = std::exchange(region.referred, {});
    auto next = arriving.begin();
    Hospital at = hospital(village);
    for (std::int64_t now = 0; now < kSteps; ++now) {
      for (; next != arriving.end() && *next == now; ++next) ++at.waiting;
      at.step(now, region);
    }
    return {village, village + 1, region.treated, region.waited, std::move(region.referred)};
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
  Health health;  // of the run
  return cleave::run(
      argc, argv,
      cleave::Program<Health>{
          .summary = "Simulates the hospitals of N villages for 10,000 steps.",
          .sizes = {{"N", 1365}},
          .application =
              [&](const cleave::RunOptions& options) {
                return health = {(options.sizes.at("N") - 1) / 4, options.seed};
              },
          .make_problem = [](const auto&, auto) { return Region{}; },
          .wrong = [&](const auto&, const Region& found) { return wrong(health, found); },
          .figures = [](const Region& region) -> cleave::Figures {
            return {{"treated", region.treated}, {"waited", region.waited}};
          },
      });
}
