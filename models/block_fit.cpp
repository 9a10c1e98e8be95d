// SPDX-License-Identifier: Apache-2.0
#include "models/block_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "models/breaks.hpp"
#include "models/files.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

std::size_t count_run_sizes(const std::vector<Observation>& observations) {
  std::set<NamedSizes> sizes;
  for (const Observation& observation : observations) {
    sizes.insert(observation.run_sizes);
  }
  return sizes.size();
}

/// How far apart repetitions of a size are, relative to their median: 1.4826 times the median over
/// all of them, so that a few that were disturbed count for nothing.
double repetition_deviation(const std::vector<Observation>& observations) {
  std::vector<double> distances;
  for (const Observation& observation : observations) {
    for (const double value : observation.repetitions) {
      distances.push_back(std::abs(value / observation.value - 1));
    }
  }
  return distances.empty() ? 0 : kDeviationsPerMedian * median(std::move(distances));
}

/// Without the repetitions that something else disturbed.
std::vector<Observation> undisturbed(std::vector<Observation> observations) {
  const double limit = kNoisy * repetition_deviation(observations);
  for (Observation& observation : observations) {
    std::erase_if(observation.repetitions, [&](double value) {
      return limit > 0 && std::abs(value / observation.value - 1) > limit;
    });
  }
  return observations;
}

Eigen::Index rows_of(const std::vector<Observation>& observations) {
  Eigen::Index rows = 0;
  for (const Observation& observation : observations) {
    rows += std::max<Eigen::Index>(1, std::ssize(observation.repetitions));
  }
  return rows;
}

/// One row for every repetition, or for every value where nothing was repeated.
Design design_of(const std::vector<Observation>& observations, const Form& form) {
  const Eigen::Index rows = rows_of(observations);
  Design design{.names = term_names(form),
                .columns = {rows, static_cast<Eigen::Index>(form.size())},
                .measured = Eigen::VectorXd(rows)};
  std::map<NamedSizes, int> clusters;
  Eigen::Index row = 0;
  for (const Observation& observation : observations) {
    const int cluster =
        clusters.try_emplace(observation.run_sizes, static_cast<int>(clusters.size()))
            .first->second;
    Eigen::RowVectorXd terms(std::ssize(form));
    for (Eigen::Index j = 0; j < terms.size(); ++j) {
      terms[j] = form[static_cast<std::size_t>(j)](observation.sizes);
    }
    const std::vector<double> values = observation.repetitions.empty()
                                           ? std::vector<double>{observation.value}
                                           : observation.repetitions;
    for (const double value : values) {
      design.columns.row(row) = terms;
      design.measured[row++] = value;
      design.clusters.push_back(cluster);
    }
  }
  return design;
}

/// Whether a fit is positive at every size that was measured, and where all are in the same
/// proportion but `from` or 1024 times as large.
bool is_positive(const BlockFit& fit, const std::vector<Observation>& observations, double from) {
  const std::array<double, 3> factors = {from, 1, 1024};
  const auto is_positive_at = [&](const NamedValues& sizes, double factor) {
    NamedValues scaled = sizes;
    for (auto& [name, value] : scaled) {
      value *= factor;
    }
    return fit(scaled) > 0;
  };
  return std::all_of(observations.begin(), observations.end(), [&](const Observation& o) {
    return std::all_of(factors.begin(), factors.end(),
                       [&](double factor) { return is_positive_at(o.sizes, factor); });
  });
}

double deviation_at(const LinearFit& fit, double value) {
  return fit.weights == Weights::relative ? fit.residual_deviation * value : fit.residual_deviation;
}

}  // namespace

void extend(Ranges& ranges, const std::string& name, double value) {
  auto& [minimum, largest] = ranges.try_emplace(name, value, value).first->second;
  minimum = std::min(minimum, value);
  largest = std::max(largest, value);
}

Ranges ranges_of(const std::vector<Observation>& observations) {
  Ranges ranges;
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      extend(ranges, name, value);
    }
    if (const std::string ratio = ratio_in(observation.sizes); !ratio.empty()) {
      const double value = quantity_of(ratio, observation.sizes);
      if (std::isfinite(value)) {
        extend(ranges, ratio, value);
      }
    }
  }
  return ranges;
}

Eigen::VectorXd BlockFit::row(const NamedValues& sizes) const {
  Eigen::VectorXd values(static_cast<Eigen::Index>(form.size()));
  for (std::size_t j = 0; j < form.size(); ++j) {
    values[static_cast<Eigen::Index>(j)] = form[j](sizes);
  }
  return values;
}

double BlockFit::operator()(const NamedValues& sizes) const {
  double sum = 0;
  for (std::size_t j = 0; j < form.size(); ++j) {
    sum += fit.coefficients[static_cast<Eigen::Index>(j)] * form[j](sizes);
  }
  return sum;
}

std::array<Variance, 2> BlockFit::variances(const NamedValues& sizes) const {
  const Eigen::VectorXd terms = row(sizes);
  const double deviation = deviation_at(fit, terms.dot(fit.coefficients));
  return {
      Variance{deviation * deviation, static_cast<double>(fit.degrees_of_freedom)},
      Variance{terms.dot(fit.covariance * terms), static_cast<double>(fit.coefficient_freedom)}};
}

Interval BlockFit::interval(const NamedValues& sizes) const {
  return interval_95((*this)(sizes), sum_of(variances(sizes)));
}

SegmentedFit::SegmentedFit(BlockFit only)
    : segments{std::move(only)},
      r_squared(segments.front().fit.r_squared),
      adjusted_r_squared(segments.front().fit.adjusted_r_squared),
      median_abs_relative_residual(segments.front().fit.median_abs_relative_residual) {}

SegmentedFit::SegmentedFit(std::string over_quantity, std::vector<double> between,
                           std::vector<BlockFit> segments,
                           const std::vector<Observation>& observations)
    : over(std::move(over_quantity)), breaks(std::move(between)), segments(std::move(segments)) {
  double mean = 0;
  for (const Observation& o : observations) {
    mean += o.value / static_cast<double>(observations.size());
  }
  double total = 0;
  double unexplained = 0;
  std::vector<double> relative;
  for (const Observation& o : observations) {
    const double residual = o.value - (*this)(o.sizes);
    total += (o.value - mean) * (o.value - mean);
    unexplained += residual * residual;
    relative.push_back(std::abs(residual) / std::max(o.value, 1e-9));
  }
  Eigen::Index coefficients = 0;
  for (const BlockFit& segment : segments) {
    coefficients += segment.fit.coefficients.size();
  }
  const auto n = static_cast<double>(observations.size());
  const double freedom = std::max(1.0, n - static_cast<double>(coefficients));
  r_squared = total > 0 ? 1 - unexplained / total : (unexplained > 0 ? 0 : 1);
  adjusted_r_squared = 1 - (1 - r_squared) * (n - 1) / freedom;
  median_abs_relative_residual = median(std::move(relative));
}

const BlockFit& SegmentedFit::at(const NamedValues& sizes) const {
  if (breaks.empty()) {
    return segments.front();
  }
  const std::size_t between = segment_of(quantity_of(over, sizes), breaks);
  const std::string ratio = ratio_in(sizes);
  if (ratio.empty() || ratio == over) {
    return segments[between];
  }
  const double asked = quantity_of(ratio, sizes);
  const auto saw_ratio = [&](const BlockFit& segment) {
    constexpr double kNear = 1.5;  // so many times beyond those seen is as good as seen
    const auto range = segment.fitted_range.find(ratio);
    return range == segment.fitted_range.end() ||
           (asked > range->second.first / kNear && asked < range->second.second * kNear);
  };
  for (std::size_t distance = 0; distance < segments.size(); ++distance) {
    for (const std::size_t segment : {between - distance, between + distance}) {
      // between - distance wraps around.
      if (segment < segments.size() && saw_ratio(segments[segment])) {
        return segments[segment];
      }
    }
  }
  return segments[between];
}

std::string SegmentedFit::text() const {
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    text += text_of(segments[i].form);
    if (i < breaks.size()) {
      text += fmt::format(" below {} = {:.3g}, then ", over, breaks[i]);
    }
  }
  return text;
}

std::vector<std::string> names_in(const std::string& over) {
  if (over.empty()) {
    return {};
  }
  const auto slash = over.find('/');
  if (slash == std::string::npos) {
    return {over};
  }
  return {over.substr(0, slash), over.substr(slash + 1)};
}

std::string ratio_in(const NamedValues& sizes) {
  return sizes.size() == 2 ? sizes.begin()->first + "/" + sizes.rbegin()->first : "";
}

double quantity_of(const std::string& over, const NamedValues& sizes) {
  const auto value = [&](const std::string& name) {
    const auto found = sizes.find(name);
    if (found == sizes.end()) {
      throw Error(fmt::format("size {} is not known, but the form depends on {}", name, over));
    }
    return found->second;
  };
  const std::vector<std::string> names = names_in(over);
  return names.size() == 1 ? value(names[0]) : value(names[0]) / std::max(value(names[1]), 1e-300);
}

std::variant<BlockFit, Refusal> fit_form(const std::vector<Observation>& observations,
                                         const TrialForm& trial, Weights weights) {
  const Form& form = trial.form;
  const bool is_constant = form.size() == 1 && form.front() == Basis();
  const std::size_t sizes = count_run_sizes(observations);
  if (!is_constant && sizes < form.size() + 1) {
    return Refusal{
        fmt::format("runs at {} different {} for {} coefficients ({}): at least {} are needed",
                    sizes, sizes == 1 ? "size" : "sizes", form.size(),
                    fmt::join(term_names(form), ", "), form.size() + 1)};
  }
  const bool repeats = std::any_of(observations.begin(), observations.end(),
                                   [](const Observation& o) { return o.repetitions.size() > 1; });
  const Loss loss = repeats && weights == Weights::relative ? Loss::huber : Loss::squares;
  const std::vector<Observation> kept =
      loss == Loss::huber ? undisturbed(observations) : observations;
  auto result = least_squares(design_of(kept, form), weights, trial.sign, loss);
  if (auto* refusal = std::get_if<Refusal>(&result)) {
    return std::move(*refusal);
  }
  BlockFit fitted{.form = form,
                  .fit = std::move(std::get<LinearFit>(result)),
                  .fitted_range = ranges_of(observations)};
  fitted.fit.outliers += static_cast<int>(rows_of(observations) - rows_of(kept));
  if (trial.sign == Sign::any && !is_positive(fitted, observations, trial.positive_from)) {
    return Refusal{fmt::format("{} gives no positive time at some of the sizes measured",
                               fmt::join(term_names(form), ", "))};
  }
  return fitted;
}

std::vector<std::string> varying_sizes(const std::vector<Observation>& observations) {
  std::map<std::string, std::set<double>> values;
  std::map<std::string, std::size_t> count;
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      values[name].insert(value);
      ++count[name];
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, of_name] : values) {
    if (of_name.size() > 1 && count[name] == observations.size()) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace cleave::models
