// SPDX-License-Identifier: Apache-2.0
#include "models/theory/terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace cleave::models {

namespace {

/// What a form does not explain of any size, relative: no observation is known better than this.
constexpr double kFloor = 0.02;

double product_of(const NamedSizes& sizes) {
  double product = 1;
  for (const auto& [name, value] : sizes) {
    product *= static_cast<double>(std::max<std::int64_t>(value, 1));
  }
  return product;
}

}  // namespace

Terms::Terms(const std::vector<Observation>& observations, const std::vector<Form>& forms,
             Weights weights, bool by_precision) {
  std::vector<Basis> bases;
  for (const Form& form : forms) {
    std::vector<int>& columns = columns_.emplace_back();
    for (const Basis& term : form) {
      auto found = std::ranges::find(bases, term);
      if (found == bases.end()) {
        found = bases.insert(bases.end(), term);
      }
      columns.push_back(static_cast<int>(found - bases.begin()));
    }
  }
  std::set<NamedSizes> distinct;
  for (const Observation& observation : observations) {
    distinct.insert(observation.run_sizes);
  }
  run_sizes_.assign(distinct.begin(), distinct.end());
  std::ranges::stable_sort(run_sizes_, {}, product_of);
  std::map<NamedSizes, int> number_of;
  for (int run = 0; run < runs(); ++run) {
    number_of[run_sizes(run)] = run;
  }
  const auto terms = static_cast<Eigen::Index>(bases.size());
  values_.resize(terms, std::ssize(observations));
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Observation& o = observations[i];
    auto column = values_.col(static_cast<Eigen::Index>(i));
    for (Eigen::Index j = 0; j < terms; ++j) {
      column[j] = bases[static_cast<std::size_t>(j)](o.sizes);
    }
    const double deviation = by_precision ? o.deviation : 0;
    const double certainty = kFloor * kFloor / (kFloor * kFloor + deviation * deviation);
    const double weight = weights == Weights::relative ? certainty / (o.value * o.value) : 1;
    const Row& row =
        rows_.emplace_back(Row{number_of.at(o.run_sizes), o.kind, o.value, weight, certainty});
    auto& sums = sums_.try_emplace(o.kind, run_sizes_.size(), NormalEquations(terms)).first->second;
    sums[static_cast<std::size_t>(row.run)].add_row(column, row.value, row.weight);
    auto& is_there = is_there_.try_emplace(o.kind, run_sizes_.size(), false).first->second;
    is_there[static_cast<std::size_t>(row.run)] = true;
  }
}

Terms::Part::Part(const Terms& terms, const std::vector<double>& times_by_run)
    : terms_(terms), times_by_run_(times_by_run) {
  for (const auto& [kind, sums] : terms.sums_) {
    Kind& part = kinds_[kind];
    part.sums = NormalEquations(terms.values_.rows());
    for (std::size_t run = 0; run < sums.size(); ++run) {
      if (times_by_run[run] > 0 && terms.is_there_.at(kind)[run]) {
        part.sums.add(sums[run], times_by_run[run]);
        ++part.runs;
      }
    }
  }
}

Coefficients Terms::Part::fit(int form) const {
  const std::vector<int>& columns = terms_.columns_[static_cast<std::size_t>(form)];
  const auto most =
      std::ranges::max_element(kinds_, {}, [](const auto& kind) { return kind.second.runs; });
  Coefficients result;
  if (most == kinds_.end()) {
    return result;
  }
  result[most->first] = most->second.sums.solve(columns, Sign::non_negative);
  for (const auto& [kind, part] : kinds_) {
    if (kind == most->first) {
      continue;
    }
    const bool has_enough = part.runs > static_cast<int>(columns.size());
    if (has_enough || part.runs == most->second.runs) {
      result[kind] = part.sums.solve(columns, Sign::non_negative);
      continue;
    }
    // What the other kind's fit is to be multiplied by.
    const Eigen::VectorXd& others = result[most->first];
    double weighted = 0;
    double total = 0;
    for (std::size_t row = 0; row < terms_.rows_.size(); ++row) {
      const Row& r = terms_.rows_[row];
      const double times = times_by_run_[static_cast<std::size_t>(r.run)];
      const double fitted = terms_.at(row, form, others);
      if (r.kind == kind && times > 0 && fitted > 0) {
        weighted += times * r.certainty * std::log(r.value / fitted);
        total += times * r.certainty;
      }
    }
    result[kind] = total > 0 ? Eigen::VectorXd(std::exp(weighted / total) * others) : others;
  }
  return result;
}

double Terms::at(std::size_t row, int form, const Eigen::VectorXd& coefficients) const {
  const std::vector<int>& columns = columns_[static_cast<std::size_t>(form)];
  double sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sum += coefficients[static_cast<Eigen::Index>(i)] *
           values_(columns[i], static_cast<Eigen::Index>(row));
  }
  return sum;
}

double Terms::error(int form, const Coefficients& coefficients,
                    const std::vector<double>& tested) const {
  constexpr double kMax = 2;
  double sum = 0;
  double total = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const Row& r = rows_[row];
    if (tested[static_cast<std::size_t>(r.run)] == 0) {
      continue;
    }
    const auto of_kind = coefficients.find(r.kind);
    const double fitted = of_kind == coefficients.end() ? 0 : at(row, form, of_kind->second);
    const double error = fitted > 0 ? std::min(kMax, std::abs(std::log(fitted / r.value))) : kMax;
    sum += r.certainty * error;
    total += r.certainty;
  }
  return total > 0 ? sum / total : 0;
}

}  // namespace cleave::models
