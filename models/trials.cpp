// SPDX-License-Identifier: Apache-2.0
#include "models/trials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace cleave::models {

namespace {

/// Runs are left out one size after another, or in so many groups of sizes where there are more.
constexpr int kMaxFolds = 10;

void append(Rows& rows, const Rows& more) { rows.insert(rows.end(), more.begin(), more.end()); }

}  // namespace

BasisValues::BasisValues(const std::vector<Observation>& observations,
                         const std::vector<TrialForm>& forms)
    : values_(Eigen::VectorXd(std::ssize(observations))) {
  for (const TrialForm& trial : forms) {
    for (const Basis& basis : trial.form) {
      if (std::find(bases_.begin(), bases_.end(), basis) == bases_.end()) {
        bases_.push_back(basis);
      }
    }
  }
  columns_.resize(values_.size(), std::ssize(bases_));
  for (Eigen::Index i = 0; i < values_.size(); ++i) {
    const Observation& observation = observations[static_cast<std::size_t>(i)];
    values_[i] = observation.value;
    for (Eigen::Index j = 0; j < columns_.cols(); ++j) {
      columns_(i, j) = bases_[static_cast<std::size_t>(j)](observation.sizes);
    }
  }
}

Design BasisValues::design(const Form& form, const Rows& rows) const {
  std::vector<Eigen::Index> columns;
  for (const Basis& basis : form) {
    columns.push_back(std::find(bases_.begin(), bases_.end(), basis) - bases_.begin());
  }
  return {.names = term_names(form), .columns = columns_(rows, columns), .measured = values_(rows)};
}

Rows all_rows(const std::vector<Observation>& observations) {
  Rows rows(observations.size());
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  return rows;
}

std::vector<Rows> rows_by_run_size(const std::vector<Observation>& observations) {
  std::map<NamedSizes, Rows> by_size;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    by_size[observations[i].run_sizes].push_back(static_cast<Eigen::Index>(i));
  }
  const auto volume = [](const NamedSizes& sizes) {
    double sum = 0;
    for (const auto& [name, value] : sizes) {
      sum += std::log(std::max<double>(1, static_cast<double>(value)));
    }
    return sum;
  };
  std::vector<std::pair<double, Rows>> ascending;
  for (auto& [sizes, rows] : by_size) {
    ascending.emplace_back(volume(sizes), std::move(rows));
  }
  std::stable_sort(ascending.begin(), ascending.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Rows> result;
  for (auto& [of_size, rows] : ascending) {
    result.push_back(std::move(rows));
  }
  return result;
}

std::vector<Trial> leave_out_trials(const std::vector<Rows>& by_size) {
  const auto folds = std::min<std::size_t>(kMaxFolds, by_size.size());
  std::vector<Trial> trials(folds);
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    for (std::size_t fold = 0; fold < folds; ++fold) {
      append(i % folds == fold ? trials[fold].tested : trials[fold].fitted, by_size[i]);
    }
  }
  return trials;
}

std::vector<Trial> rolling_trials(const std::vector<Rows>& by_size) {
  constexpr std::size_t kMinSizes = 3;
  std::vector<Trial> trials;
  const std::size_t minimum = std::max(kMinSizes, (by_size.size() + 1) / 2);
  const std::size_t step =
      std::max<std::size_t>(1, (by_size.size() - std::min(minimum, by_size.size())) / kMaxFolds);
  for (std::size_t fitted = minimum; fitted < by_size.size(); fitted += step) {
    Trial trial;
    for (std::size_t i = 0; i < by_size.size(); ++i) {
      append(i < fitted ? trial.fitted : trial.tested, by_size[i]);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

double symmetric_error(double a, double b) {
  const double scale = (std::abs(a) + std::abs(b)) / 2;
  return scale == 0 ? 0 : std::abs(a - b) / scale;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace cleave::models
