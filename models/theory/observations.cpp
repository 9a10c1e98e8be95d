// SPDX-License-Identifier: Apache-2.0
#include "models/theory/observations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <cleave/trace/median.hpp>

namespace cleave::models {

namespace {

/// A block of which several ranks of the same sizes measured the same thing.
struct Level {
  std::vector<double> medians;  ///< of the ranks
  double disturbed = 0;
};
using LevelKey = std::tuple<NamedSizes, int, int, int, NamedValues>;

}  // namespace

std::vector<Observation> observations_of(const std::vector<Sample>& samples) {
  std::map<LevelKey, Level> levels;
  for (const Sample& sample : samples) {
    Level& level = levels[{sample.run_sizes, sample.ranks, sample.ranks_per_host, sample.level,
                           sizes_of_block(sample)}];
    level.medians.push_back(detail::median(sample.seconds));
    level.disturbed = sample.disturbed;
  }
  std::vector<Observation> observations;
  for (auto& [key, level] : levels) {
    const auto& [run_sizes, ranks, ranks_per_host, number, sizes] = key;
    observations.push_back(
        {.run_sizes = run_sizes,
         .ranks_per_host = ranks_per_host,
         .sizes = sizes,
         .value = std::max(kShortest_s, detail::median(std::move(level.medians))),
         .disturbed = level.disturbed});
  }
  return observations;
}

std::size_t free_sizes(const std::vector<RunPoint>& points) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const RunPoint& point : points) {
    for (const auto& [name, value] : point.given) {
      values[name].insert(value);
    }
  }
  const auto free =
      std::ranges::count_if(values, [](const auto& of) { return of.second.size() > 1; });
  return free == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(free);
}

std::optional<Refusal> refuse_choice(const std::vector<Observation>& observations,
                                     std::size_t free) {
  const NamedValues& sizes = observations.front().sizes;
  if (sizes.empty()) {
    return std::nullopt;
  }
  const std::vector<std::string> varying = varying_sizes(observations);
  if (varying.empty()) {
    return Refusal{fmt::format("{} is {:.6g} in every run: measure more sizes",
                               sizes.begin()->first, sizes.begin()->second)};
  }
  const bool is_one_run_size = std::ranges::all_of(observations, [&](const Observation& other) {
    return other.run_sizes == observations.front().run_sizes;
  });
  if (is_one_run_size) {
    return Refusal{"all runs have the same size: measure more sizes"};
  }
  if (varying.size() == 1) {
    return std::nullopt;
  }
  std::vector<std::string> names = {"1"};
  names.insert(names.end(), varying.begin(), varying.end());
  Eigen::MatrixXd columns(std::ssize(observations), std::ssize(names));
  columns.col(0).setOnes();
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    for (std::size_t j = 0; j < varying.size(); ++j) {
      columns(i, static_cast<Eigen::Index>(j) + 1) =
          observations[static_cast<std::size_t>(i)].sizes.at(varying[j]);
    }
  }
  return refuse_dependent(names, columns, std::min(free, varying.size()) + 1);
}

double splitter_bytes(const std::vector<Sample>& samples) {
  std::vector<double> bytes;
  for (const Sample& sample : samples) {
    const auto elements = sample.sizes.find("N");
    if (sample.block == detail::Block::pivot && elements != sample.sizes.end() &&
        elements->second > 0) {
      bytes.push_back(std::round(sample.bytes / sampled(elements->second)));
    }
  }
  return bytes.empty() ? 0 : detail::median(std::move(bytes));
}

std::vector<Observation> message_bytes(const std::vector<Sample>& samples) {
  std::map<std::tuple<int, NamedSizes, int>, Observation> largest;
  for (const Sample& sample : samples) {
    Observation& level = largest[{sample.ranks, sample.run_sizes, sample.level}];
    level.run_sizes = sample.run_sizes;
    level.value = std::max(level.value, sample.bytes / sample.spans);
    for (const auto& [name, value] : sample.sizes) {
      double& size = level.sizes[name];
      size = std::max(size, value);
    }
  }
  std::vector<Observation> observations;
  observations.reserve(largest.size());
  for (auto& [key, observation] : largest) {
    observations.push_back(std::move(observation));
  }
  return observations;
}

}  // namespace cleave::models
