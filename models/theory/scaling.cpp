// SPDX-License-Identifier: Apache-2.0
#include "models/theory/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace/median.hpp>

#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// The size of one block in the groups of one size of one run, relative to the run's.
struct Ratio {
  double group_share = 1;  ///< g / p
  double mean = 0;
};

using SizeOfBlock = std::pair<detail::Block, std::string>;

std::map<SizeOfBlock, std::vector<Ratio>> ratios_of(const std::vector<Sample>& samples) {
  using GroupsOfRun = std::tuple<SizeOfBlock, int, NamedSizes, int, int>;
  std::map<GroupsOfRun, std::vector<double>> values;
  for (const Sample& sample : samples) {
    for (const auto& [name, value] : sample.sizes) {
      const auto run_size = sample.run_sizes.find(name);
      if (run_size != sample.run_sizes.end() && run_size->second > 0) {
        values[{{sample.block, name}, sample.ranks, sample.run_sizes, sample.group, sample.level}]
            .push_back(value / static_cast<double>(run_size->second));
      }
    }
  }
  std::map<SizeOfBlock, std::vector<Ratio>> ratios;
  for (const auto& [groups, of_ranks] : values) {
    const auto& [key, ranks, run_sizes, group, level] = groups;
    double mean = 0;
    for (const double value : of_ranks) {
      mean += value / static_cast<double>(of_ranks.size());
    }
    if (mean > 0) {
      ratios[key].push_back({.group_share = static_cast<double>(group) / ranks, .mean = mean});
    }
  }
  return ratios;
}

double snapped(double value, std::initializer_list<double> to, double within) {
  for (const double target : to) {
    if (std::abs(value - target) <= within) {
      return target;
    }
  }
  return value;
}

/// The slope of log(mean) over log(g / p); none if only one g / p was seen. Where the whole run
/// (g = p) was not seen, the line goes through it.
std::optional<double> fitted_exponent(const std::vector<Ratio>& ratios) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Ratio& ratio : ratios) {
    const double x = std::log(ratio.group_share);
    const double y = std::log(ratio.mean);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double variation = sxx - sx * sx / n;
  if (variation > 1e-9) {
    return (sxy - sx * sy / n) / variation;
  }
  return sxx > 1e-9 ? std::optional(sxy / sxx) : std::nullopt;
}

double fitted_scale(const std::vector<Ratio>& ratios, double exponent) {
  std::vector<double> scales;
  for (const Ratio& ratio : ratios) {
    scales.push_back(ratio.mean / std::pow(ratio.group_share, exponent));
  }
  return detail::median(std::move(scales));
}

/// That of `key`, else what the same size of another block has.
std::optional<double> exponent_of(const std::map<SizeOfBlock, std::vector<Ratio>>& ratios,
                                  const SizeOfBlock& key) {
  if (const std::optional<double> own = fitted_exponent(ratios.at(key))) {
    return own;
  }
  for (const auto& [other, of_other] : ratios) {
    const auto exponent = other.second == key.second ? fitted_exponent(of_other) : std::nullopt;
    if (exponent) {
      return exponent;
    }
  }
  return std::nullopt;
}

}  // namespace

double Scaling::of_fraction(double run_size, double fraction) const {
  return run_size * scale * std::pow(fraction, exponent);
}

std::vector<Scaling> fit_scaling(const std::vector<Sample>& samples) {
  const auto ratios = ratios_of(samples);
  std::vector<Scaling> result;
  for (const auto& [key, of_key] : ratios) {
    constexpr double kExponentAsGood = 0.1;  // levels are few: 1 or 0 is the simpler truth
    constexpr double kScaleAsGood = 0.02;
    const double exponent = snapped(exponent_of(ratios, key).value_or(1), {0, 1}, kExponentAsGood);
    result.push_back({.block = key.first,
                      .size = key.second,
                      .scale = snapped(fitted_scale(of_key, exponent), {1}, kScaleAsGood),
                      .exponent = exponent,
                      .measured = fitted_exponent(of_key).has_value()});
  }
  return result;
}

double sampled(double elements) {
  constexpr double kMost = 9e18;
  return static_cast<double>(
      detail::sample_of(static_cast<std::int64_t>(std::clamp(elements, 0.0, kMost))));
}

double fit_tilt(const std::vector<Sample>& samples, const std::vector<Scaling>& scaling) {
  // What each group of a run has at each level, by the name of the size.
  using GroupOfRun =
      std::tuple<std::string, NamedSizes, int, int, int>;  // ..., ranks, level, first
  std::map<GroupOfRun, double> sizes;
  for (const Sample& sample : samples) {
    const bool tells = sample.block == detail::Block::divide ||
                       sample.block == detail::Block::pivot ||
                       sample.block == detail::Block::sequential;
    for (const auto& [name, value] : sample.sizes) {
      const bool shrinks = std::ranges::any_of(scaling, [&, &of = name](const Scaling& s) {
        return s.block == sample.block && s.size == of && s.exponent > 0;
      });
      if (tells && shrinks && value > 0) {
        sizes[{name, sample.run_sizes, sample.ranks, sample.level, sample.rank}] = value;
      }
    }
  }
  std::vector<double> tilts;
  std::map<int, std::vector<detail::ScheduledGroup>> groups_of;
  for (const auto& [group, size] : sizes) {
    const auto& [name, run_sizes, ranks, level, first] = group;
    const auto found = groups_of.find(ranks);
    const std::vector<detail::ScheduledGroup>& groups =
        found != groups_of.end() ? found->second
                                 : groups_of.emplace(ranks, detail::groups_of(ranks)).first->second;
    for (std::size_t i = 1; i + 1 < groups.size(); ++i) {
      const detail::ScheduledGroup& left = groups[i];
      const detail::Group& parent = groups[static_cast<std::size_t>(left.parent)].ranks;
      const bool is_left_here =
          left.level == level && left.ranks.first == first && parent.first == first;
      const auto right = is_left_here
                             ? sizes.find({name, run_sizes, ranks, level, parent.right().first})
                             : sizes.end();
      if (right != sizes.end()) {
        tilts.push_back(std::log(size / right->second * parent.right().size / parent.left().size));
      }
    }
  }
  double sum = 0;
  for (const double tilt : tilts) {
    sum += tilt;
  }
  return tilts.empty() ? 0 : sum / static_cast<double>(tilts.size());
}

}  // namespace cleave::models
