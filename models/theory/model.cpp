// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cleave::models {

int Model::min_ranks() const {
  return fitted.empty() ? 1 : std::ranges::min(fitted, {}, &RunOfModel::ranks).ranks;
}

int Model::max_ranks() const {
  int maximum = 1;
  for (const RunOfModel& run : fitted) {
    maximum = std::max(maximum, run.ranks);
  }
  return maximum;
}

int Model::max_ranks_per_host() const {
  int maximum = 1;
  for (const RunOfModel& run : fitted) {
    maximum = std::max(maximum, run.ranks_per_host);
  }
  return maximum;
}

bool Model::has_left_host() const {
  return std::ranges::any_of(fitted,
                             [](const RunOfModel& run) { return run.ranks > run.ranks_per_host; });
}

int Model::usual_ranks_per_host(int ranks) const {
  if (!has_left_host() && ranks <= cores) {
    return ranks;
  }
  return std::min(ranks, max_ranks_per_host());
}

const std::vector<double>& Model::noise_of(int ranks) const {
  static const std::vector<double> kNone;
  const auto distance = [ranks](const auto& of_ranks) {
    return std::abs(std::log2(static_cast<double>(of_ranks.first) / ranks));
  };
  return noise.empty() ? kNone : std::ranges::min_element(noise, {}, distance)->second;
}

std::string Model::reason_of(detail::Block block) const {
  for (const RefusedBlock& of_block : refused) {
    if (of_block.block == block) {
      return of_block.reason;
    }
  }
  const bool is_of_one_rank =
      !fitted.empty() &&
      std::ranges::all_of(fitted, [](const RunOfModel& run) { return run.ranks == 1; });
  return is_of_one_rank ? "every fitted run was on one rank" : "the traces show none";
}

bool Model::is_fitted_to(const RunPoint& run) const {
  return std::ranges::any_of(fitted, [&](const RunOfModel& other) {
    return other.ranks == run.ranks && other.threads == run.threads && other.sizes == run.sizes;
  });
}

std::vector<std::string> Model::size_names() const {
  if (search() != nullptr) {
    return {"nodes"};
  }
  std::set<std::string> names;
  const auto add_sizes = [&](const Law& law) {
    for (const std::string& name : law.sizes()) {
      if (fitted_range(name)) {
        names.insert(name);
      }
    }
  };
  if (table() != nullptr) {
    add_sizes(table()->law);
    return {names.begin(), names.end()};
  }
  for (const BlockModel& block : hypercube()->blocks) {
    add_sizes(block.law);
  }
  if (hypercube()->exchange) {
    add_sizes(hypercube()->exchange->bytes);
  }
  return {names.begin(), names.end()};
}

std::optional<std::pair<std::int64_t, std::int64_t>> Model::fitted_range(
    const std::string& name) const {
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  for (const RunOfModel& run : fitted) {
    if (const auto found = run.sizes.find(name); found != run.sizes.end()) {
      const auto [least, most] = range.value_or(std::pair(found->second, found->second));
      range = {std::min(least, found->second), std::max(most, found->second)};
    }
  }
  return range;
}

double Model::doublings_outside(const NamedSizes& sizes) const {
  double most = 0;
  for (const auto& [name, value] : sizes) {
    const auto range = fitted_range(name);
    if (range && range->first > 0 && value > 0) {
      const auto asked = static_cast<double>(value);
      most = std::max({most, std::log2(asked / static_cast<double>(range->second)),
                       std::log2(static_cast<double>(range->first) / asked)});
    }
  }
  return most;
}

}  // namespace cleave::models
