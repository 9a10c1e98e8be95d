// SPDX-License-Identifier: Apache-2.0
#include "models/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "models/breaks.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

constexpr std::size_t kMinSizes = 5;

std::set<std::string> sizes_in(const SegmentedFit& fit) {
  std::set<std::string> names;
  for (const BlockFit& segment : fit.segments) {
    for (const Basis& term : segment.form) {
      names.merge(term.sizes());
    }
  }
  return names;
}

void say_of_sizes(const SegmentedFit& fit, const std::vector<Observation>& observations,
                  std::vector<std::string>& said) {
  constexpr double kMinSpan = 8;
  std::set<NamedSizes> runs;
  for (const Observation& o : observations) {
    runs.insert(o.run_sizes);
  }
  const std::set<std::string> names = sizes_in(fit);
  if (!names.empty() && runs.size() < kMinSizes) {
    said.push_back(
        fmt::format("{} sizes tell few forms apart: measure at least {}", runs.size(), kMinSizes));
  }
  for (const std::string& name : names) {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = 0;
    for (const Observation& o : observations) {
      minimum = std::min(minimum, o.sizes.at(name));
      maximum = std::max(maximum, o.sizes.at(name));
    }
    if (maximum < kMinSpan * minimum) {
      said.push_back(fmt::format(
          "the values of {} are close to each other, {:.4g} to {:.4g}: measure over a factor of {}",
          name, minimum, maximum, kMinSpan));
    }
  }
}

void say_of_coefficients(const SegmentedFit& fit, std::vector<std::string>& said) {
  constexpr double kUncertain = 0.5;
  for (const BlockFit& segment : fit.segments) {
    const Eigen::VectorXd errors = segment.fit.standard_errors();
    for (Eigen::Index i = 0; i < errors.size(); ++i) {
      const double value = segment.fit.coefficients[i];
      if (errors[i] <= kUncertain * std::abs(value) || errors.size() < 2) {
        continue;
      }
      // The column that it is mostly exchanged for.
      Eigen::Index other = i == 0 ? 1 : 0;
      double maximum = 0;
      for (Eigen::Index j = 0; j < errors.size(); ++j) {
        const double scale = errors[i] * errors[j];
        if (j != i && scale > 0 && std::abs(segment.fit.covariance(i, j)) / scale > maximum) {
          maximum = std::abs(segment.fit.covariance(i, j)) / scale;
          other = j;
        }
      }
      const auto term = [&](Eigen::Index k) {
        return segment.form[static_cast<std::size_t>(k)].text();
      };
      constexpr double kDependent = 0.95;
      said.push_back(fmt::format(
          "the coefficient of {} is not certain, {:.3g} with an error of {:.2g}{}", term(i), value,
          errors[i],
          maximum > kDependent ? fmt::format(": columns {} and {} nearly depend on each "
                                             "other, vary their sizes apart",
                                             term(i), term(other))
                               : std::string()));
    }
  }
}

/// A step in the relative residuals over one size, the best that a single break explains.
void say_of_residuals(const SegmentedFit& fit, const std::vector<Observation>& observations,
                      std::vector<std::string>& said) {
  constexpr double kVisible = 0.03;
  for (const std::string& name : sizes_in(fit)) {
    std::map<double, std::vector<double>> by_size;
    for (const Observation& o : observations) {
      by_size[o.sizes.at(name)].push_back(o.value / std::max(fit(o.sizes), 1e-12) - 1);
    }
    std::vector<double> sizes;
    std::vector<double> residuals;
    for (auto& [size, of_size] : by_size) {
      sizes.push_back(size);
      residuals.push_back(median(std::move(of_size)));
    }
    const auto mean = [&](int first, int end) {
      double sum = 0;
      for (int i = first; i < end; ++i) {
        sum += residuals[static_cast<std::size_t>(i)] / (end - first);
      }
      return sum;
    };
    const int count = static_cast<int>(sizes.size());
    const Breaks breaks =
        best_breaks({.points = count,
                     .min_points = 3,
                     .max_segments = 2,
                     .parameters = 1,
                     .samples = static_cast<double>(count),
                     .negligible = 1e-6,
                     .residual = [&](int first, int end) {
                       double sum = 0;
                       for (int i = first; i < end; ++i) {
                         sum +=
                             std::pow(residuals[static_cast<std::size_t>(i)] - mean(first, end), 2);
                       }
                       return sum / count;
                     }});
    if (breaks.starts.empty()) {
      continue;
    }
    const int start = breaks.starts.front();
    const double below = mean(0, start);
    const double above = mean(start, count);
    if (std::abs(above - below) > kVisible) {
      said.push_back(fmt::format(
          "residuals change from {:+.1f} % to {:+.1f} % between {} = {:.4g} and {:.4g}, as where a "
          "cache overflows: measure at least {} sizes on either side",
          100 * below, 100 * above, name, sizes[static_cast<std::size_t>(start - 1)],
          sizes[static_cast<std::size_t>(start)], kMinSizes));
    }
  }
}

void say_of_noise(const SegmentedFit& fit, const std::vector<Observation>& observations,
                  std::vector<std::string>& said) {
  constexpr double kMany = 0.1;
  constexpr double kMuch = 0.1;
  std::size_t repetitions = 0;
  for (const Observation& o : observations) {
    repetitions += o.repetitions.size();
  }
  int outliers = 0;
  for (const BlockFit& segment : fit.segments) {
    outliers += segment.fit.outliers;
  }
  if (outliers > kMany * static_cast<double>(repetitions)) {
    said.push_back(fmt::format("{} of {} repetitions were disturbed: measure on a quieter machine",
                               outliers, repetitions));
  }
  if (fit.median_abs_relative_residual > kMuch) {
    said.push_back(
        fmt::format("residuals are {:.0f} % in the middle: these sizes do not explain it",
                    100 * fit.median_abs_relative_residual));
  }
}

void say_of_last_segment(const SegmentedFit& fit, const std::vector<Observation>& observations,
                         std::vector<std::string>& said) {
  if (fit.breaks.empty()) {
    return;
  }
  std::set<NamedSizes> beyond;
  for (const Observation& o : observations) {
    if (quantity_of(fit.over, o.sizes) >= fit.breaks.back()) {
      beyond.insert(o.run_sizes);
    }
  }
  if (beyond.size() < kMinSizes) {
    said.push_back(
        fmt::format("{} sizes beyond the break at {} = {:.4g} carry every larger one: "
                    "measure at least {}",
                    beyond.size(), fit.over, fit.breaks.back(), kMinSizes));
  }
}

}  // namespace

std::vector<std::string> diagnose(const SegmentedFit& fit,
                                  const std::vector<Observation>& observations) {
  std::vector<std::string> said;
  say_of_sizes(fit, observations, said);
  say_of_coefficients(fit, said);
  say_of_residuals(fit, observations, said);
  say_of_last_segment(fit, observations, said);
  say_of_noise(fit, observations, said);
  return said;
}

}  // namespace cleave::models
