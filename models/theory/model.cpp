// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cleave::models {

std::string Verdict::sentence(bool by_law) const {
  if (!trusted) {
    return "not judged: " +
           (advice.empty() ? "no run was held out from the fit (--hold-out every-second)" : advice);
  }
  const std::string count =
      fmt::format("{} of {} held-out {} in {}, median error {:.1f} %", inside, held_out,
                  held_out == 1 ? "run" : "runs",
                  held_out == 1 ? "its interval" : "their intervals", 100 * median_error);
  if (!*trusted) {
    return fmt::format("not trusted: {}; {}. {}", worst, count, advice);
  }
  return fmt::format("trusted: {}{}", count,
                     of_rehearsals && by_law
                         ? "; all were rehearsed, the law of other sizes and ranks is not judged "
                           "(cleave fit FOLDER --hold-out every-second does)"
                         : "");
}

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
  return !has_left_host() && ranks <= cores ? ranks : std::min(ranks, max_ranks_per_host());
}

const std::vector<double>& Model::noise_of(int ranks) const {
  static const std::vector<double> kNone;
  const auto distance = [ranks](const auto& of_ranks) {
    return std::abs(std::log2(static_cast<double>(of_ranks.first) / ranks));
  };
  return noise.empty() ? kNone : std::ranges::min_element(noise, {}, distance)->second;
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
    names = table()->law.sizes();
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

std::optional<std::pair<std::int64_t, std::int64_t>> Model::fitted_range(
    const std::string& name) const {
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  for (const RunPoint& run : fitted) {
    if (const auto found = run.sizes.find(name); found != run.sizes.end()) {
      const auto [minimum, maximum] = range.value_or(std::pair(found->second, found->second));
      range = {std::min(minimum, found->second), std::max(maximum, found->second)};
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
