// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <algorithm>

namespace cleave::flowshop {

int makespan(const Instance& instance, std::span<const int> permutation) {
  std::vector<int> free_at(static_cast<std::size_t>(instance.machines));
  for (const int job : permutation) {
    int end = 0;
    for (int machine = 0; machine < instance.machines; ++machine) {
      int& free = free_at[static_cast<std::size_t>(machine)];
      end = std::max(end, free) + instance.time(machine, job);
      free = end;
    }
  }
  return free_at.empty() ? 0 : free_at.back();
}

bool is_complete(const Instance& instance, std::span<const int> permutation) {
  std::vector<bool> seen(static_cast<std::size_t>(instance.jobs));
  for (const int job : permutation) {
    if (job < 0 || job >= instance.jobs || seen[static_cast<std::size_t>(job)]) {
      return false;
    }
    seen[static_cast<std::size_t>(job)] = true;
  }
  return permutation.size() == seen.size();
}

}  // namespace cleave::flowshop
