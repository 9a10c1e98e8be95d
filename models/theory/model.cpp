// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model.hpp"

#include <fmt/format.h>

namespace cleave::models {

int Model::min_ranks() const {
  return fitted.empty() ? 1 : std::ranges::min(fitted, {}, &RunPoint::ranks).ranks;
}

int Model::max_ranks() const {
  return fitted.empty() ? 1 : std::ranges::max(fitted, {}, &RunPoint::ranks).ranks;
}

int Model::max_ranks_per_host() const {
  return fitted.empty() ? 1
                        : std::ranges::max(fitted, {}, &RunPoint::ranks_per_host).ranks_per_host;
}

bool Model::has_left_host() const {
  return std::ranges::any_of(fitted,
                             [](const RunPoint& run) { return run.ranks > run.ranks_per_host; });
}

int Model::usual_ranks_per_host(int ranks) const {
  int most = max_ranks_per_host();
  for (const KnownRun& run : known) {
    if (run.kind == KnownRun::Kind::messages && run.place.ranks == ranks) {
      return run.ranks_per_host;
    }
    most = std::max(most, run.ranks_per_host);
  }
  return !has_left_host() && ranks <= cores ? ranks : std::min(ranks, most);
}

double Model::reach(const Place& place) const {
  std::optional<double> nearest;
  for (const KnownRun& run : known) {
    if (run.kind != KnownRun::Kind::messages) {
      const double apart = doublings_between(place, run.place);
      nearest = std::min(nearest.value_or(apart), apart);
    }
  }
  return nearest.value_or(0);
}

void Model::set_network(Network other) {
  network = std::move(other);
  std::erase_if(known, [](const KnownRun& run) { return run.kind == KnownRun::Kind::messages; });
}

std::string Model::reason_of(detail::Block block) const {
  const auto found = std::ranges::find(refused, block, &RefusedBlock::block);
  if (found != refused.end()) {
    return found->reason;
  }
  return !fitted.empty() && max_ranks() == 1 ? "every fitted run was on one rank"
                                             : "the traces show none";
}

std::vector<std::string> Model::size_names() const {
  if (search() != nullptr) {
    return {"nodes"};
  }
  std::set<std::string> names;
  if (table() != nullptr) {
    const std::vector<std::string> varying = varying_sizes(table()->points);
    names.insert(varying.begin(), varying.end());
  } else {
    for (const BlockModel& block : hypercube()->blocks) {
      names.merge(block.law.sizes());
    }
    if (hypercube()->exchange) {
      names.merge(hypercube()->exchange->bytes.sizes());
    }
  }
  std::erase_if(names, [&](const std::string& name) { return !fitted_range(name); });
  return {names.begin(), names.end()};
}

NamedSizes Model::known_sizes(NamedSizes sizes) const {
  const std::vector<std::string> names = size_names();
  std::erase_if(sizes,
                [&](const auto& size) { return std::ranges::count(names, size.first) == 0; });
  return sizes;
}

std::optional<std::pair<std::int64_t, std::int64_t>> Model::fitted_range(
    const std::string& name) const {
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  const auto add = [&](const NamedSizes& sizes) {
    if (const auto found = sizes.find(name); found != sizes.end()) {
      const auto [minimum, maximum] = range.value_or(std::pair(found->second, found->second));
      range = {std::min(minimum, found->second), std::max(maximum, found->second)};
    }
  };
  for (const RunPoint& run : fitted) {
    add(run.sizes);
  }
  for (const KnownRun& run : known) {
    add(run.place.sizes);
  }
  return range;
}

NamedValues memory_sizes(int ranks, const NamedSizes& sizes) {
  NamedValues values;
  for (const auto& [name, value] : sizes) {
    values[name] = static_cast<double>(value);
    values[name + "_per_rank"] = static_cast<double>(value) / ranks;
  }
  return values;
}

std::optional<double> memory_bytes(const Law& law, int ranks, const NamedSizes& sizes) {
  const NamedValues values = memory_sizes(ranks, sizes);
  const bool is_known =
      std::ranges::all_of(law.sizes(), [&](const auto& name) { return values.contains(name); });
  return is_known ? std::optional(law.median(values)) : std::nullopt;
}

}  // namespace cleave::models
