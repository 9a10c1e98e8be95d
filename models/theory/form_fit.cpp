// SPDX-License-Identifier: Apache-2.0
#include "models/theory/form_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <cleave/random.hpp>
#include <cleave/trace/median.hpp>

#include "models/theory/statistics.hpp"
#include "models/theory/terms.hpp"

namespace cleave::models {

namespace {

/// One part of the runs is fitted and predicts another: how many times each run counts in either.
struct Split {
  std::vector<double> fitted;
  std::vector<double> tested;
};

/// Runs are in ascending order of their sizes.
std::vector<Split> splits_of(int runs) {
  constexpr int kFolds = 10;
  std::vector<Split> splits;
  const auto add = [&](auto&& is_tested) {
    Split split{std::vector<double>(static_cast<std::size_t>(runs), 0),
                std::vector<double>(static_cast<std::size_t>(runs), 0)};
    for (int run = 0; run < runs; ++run) {
      (is_tested(run) ? split.tested : split.fitted)[static_cast<std::size_t>(run)] = 1;
    }
    splits.push_back(std::move(split));
  };
  for (int first = std::max(2, (runs + 1) / 2); first < runs; ++first) {
    add([first](int run) { return run >= first; });
  }
  for (int fold = 0; fold < std::min(runs, kFolds) && runs > 1; ++fold) {
    add([fold](int run) { return run % kFolds == fold; });
  }
  return splits;
}

/// Indices of the forms that are plausible, the simplest first, and the error of that one.
struct Choice {
  std::vector<int> forms;
  double error = 0;
};

Choice choose(const Terms& terms, const Mechanisms& mechanisms) {
  const std::vector<Split> splits = splits_of(terms.runs());
  if (splits.empty()) {
    return {.forms = {0}};
  }
  std::vector<std::vector<double>> errors(static_cast<std::size_t>(terms.forms()));
  for (const Split& split : splits) {
    const Terms::Part fitted(terms, split.fitted);
    for (int form = 0; form < terms.forms(); ++form) {
      errors[static_cast<std::size_t>(form)].push_back(
          terms.error(form, fitted.fit(form), split.tested));
    }
  }
  const auto best = std::ranges::min_element(errors, {}, mean_of);
  constexpr double kNegligible = 3e-3;
  constexpr std::size_t kMost = 16;
  Choice choice;
  std::vector<std::pair<double, int>> near;
  for (int form = 0; form < terms.forms(); ++form) {
    const std::vector<double>& of_form = errors[static_cast<std::size_t>(form)];
    const double difference = mean_of(of_form) - mean_of(*best);
    double squares = 0;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      squares += std::pow(of_form[i] - (*best)[i] - difference, 2);
    }
    const auto n = static_cast<double>(splits.size());
    const double standard_error = n > 1 ? std::sqrt(squares / (n * (n - 1))) : 0;
    if (difference <= std::max(kNegligible, standard_error)) {
      near.emplace_back(difference, form);
    }
  }
  const int simplest = near.front().second;  // forms are in the order of their number of terms
  choice.error = mean_of(errors[static_cast<std::size_t>(simplest)]);
  choice.forms = {simplest};
  std::ranges::sort(near);
  for (const auto& [difference, form] : near) {
    if (form != simplest && choice.forms.size() < kMost && mechanisms.plausible) {
      choice.forms.push_back(form);
    }
  }
  return choice;
}

/// Every second replicate has the form that speaks, so that the middle of all is its own.
std::size_t form_of_replicate(std::size_t i, std::size_t forms) {
  return i % 2 == 0 || forms == 1 ? 0 : 1 + i / 2 % (forms - 1);
}

/// Those of `forms` that have at most one term that grows for two sizes. Of the many sums of two
/// terms, one is near three sizes by chance, and far off beyond them.
std::vector<Form> determined(const std::vector<Form>& forms,
                             const std::vector<Observation>& observations) {
  std::map<int, std::set<NamedValues>> sizes;
  for (const Observation& observation : observations) {
    sizes[observation.kind].insert(observation.sizes);
  }
  std::ptrdiff_t most_terms = 1;
  for (const auto& [kind, of_kind] : sizes) {
    most_terms = std::max(most_terms, std::ssize(of_kind) / 2);
  }
  const auto grows = [](const Basis& term) { return !term.sizes().empty(); };
  std::vector<Form> few;
  std::ranges::copy_if(forms, std::back_inserter(few), [&](const Form& form) {
    return std::ranges::count_if(form, grows) <= most_terms;
  });
  return few;
}

/// Why a prescribed form must not be fitted, if so.
std::optional<Refusal> refuse(const std::vector<Observation>& observations, const Form& form) {
  std::set<NamedSizes> runs;
  for (const Observation& observation : observations) {
    runs.insert(observation.run_sizes);
  }
  if (!is_constant(form) && runs.size() < form.size() + 1) {
    return Refusal{
        fmt::format("runs at {} different {} for {} coefficients ({}): at least {} are needed",
                    runs.size(), runs.size() == 1 ? "size" : "sizes", form.size(),
                    fmt::join(term_names(form), ", "), form.size() + 1)};
  }
  Eigen::MatrixXd columns(std::ssize(observations), std::ssize(form));
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    for (Eigen::Index j = 0; j < columns.cols(); ++j) {
      columns(i, j) =
          form[static_cast<std::size_t>(j)](observations[static_cast<std::size_t>(i)].sizes);
    }
  }
  return refuse_dependent(term_names(form), columns);
}

double value_of(const Form& form, const Eigen::VectorXd& coefficients, const NamedValues& sizes) {
  double sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const double coefficient = coefficients[static_cast<Eigen::Index>(i)];
    sum += coefficient == 0 ? 0 : coefficient * form[i](sizes);
  }
  return sum;
}

/// Sets R^2 and the like.
void set_quality(Fit& fit, const std::vector<Observation>& observations) {
  double mean = 0;
  for (const Observation& o : observations) {
    mean += o.value / static_cast<double>(observations.size());
  }
  double total = 0;
  double unexplained = 0;
  std::vector<double> relative;
  for (const Observation& o : observations) {
    const double residual = o.value - fit(o.sizes, o.kind);
    total += (o.value - mean) * (o.value - mean);
    unexplained += residual * residual;
    relative.push_back(std::abs(residual) / o.value);
  }
  const auto n = static_cast<double>(observations.size());
  const auto coefficients = static_cast<double>(fit.form().size() * fit.coefficients.size());
  fit.r_squared = total > 0 ? 1 - unexplained / total : (unexplained > 0 ? 0 : 1);
  fit.adjusted_r_squared = 1 - (1 - fit.r_squared) * (n - 1) / std::max(1.0, n - coefficients);
  fit.median_abs_relative_residual = detail::median(std::move(relative));
}

}  // namespace

int Fit::kind_for(int kind) const {
  const auto distance = [kind](const auto& of_kind) {
    return std::abs(std::log2(static_cast<double>(of_kind.first) / kind));
  };
  return std::ranges::min_element(coefficients, {}, distance)->first;
}

double Fit::operator()(const NamedValues& sizes, int kind) const {
  return value_of(form(), coefficients.at(kind_for(kind)), sizes);
}

double Fit::of_replicate(std::size_t i, const NamedValues& sizes, int kind) const {
  const Replicate& replicate = replicates[i];
  return value_of(forms[replicate.form], replicate.coefficients.at(kind_for(kind)), sizes);
}

Eigen::VectorXd Fit::standard_errors(int kind) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(std::ssize(form()));
  Eigen::VectorXd squares = sum;
  double count = 0;
  for (const Replicate& replicate : replicates) {
    if (replicate.form == 0) {
      const Eigen::VectorXd& drawn = replicate.coefficients.at(kind);
      sum += drawn;
      squares += drawn.cwiseAbs2();
      ++count;
    }
  }
  if (count < 2) {
    return Eigen::VectorXd::Zero(std::ssize(form()));
  }
  return ((squares - sum.cwiseAbs2() / count) / (count - 1)).cwiseMax(0).cwiseSqrt();
}

std::variant<Fit, Refusal> fit_forms(const std::vector<Observation>& observations,
                                     const std::vector<Form>& forms, Weights weights,
                                     const Mechanisms& mechanisms) {
  if (observations.empty()) {
    return Refusal{"nothing was measured"};
  }
  if (forms.size() == 1) {
    if (auto refusal = refuse(observations, forms.front())) {
      return *std::move(refusal);
    }
  }
  const std::vector<Form> on_trial = forms.size() == 1 ? forms : determined(forms, observations);
  const Terms terms(observations, on_trial, weights, mechanisms.precision);
  const Choice choice = choose(terms, mechanisms);
  Fit fit{.range = ranges_of(observations), .left_out_error = choice.error};
  for (const int form : choice.forms) {
    fit.forms.push_back(on_trial[static_cast<std::size_t>(form)]);
  }
  const std::vector<double> once(static_cast<std::size_t>(terms.runs()), 1);
  fit.coefficients = Terms::Part(terms, once).fit(choice.forms.front());
  for (std::size_t i = 0; i < kReplicates; ++i) {
    std::vector<double> times = once;
    if (mechanisms.resampling) {
      for (int run = 0; run < terms.runs(); ++run) {
        times[static_cast<std::size_t>(run)] = weight_of_run(terms.run_sizes(run), i);
      }
    }
    const std::size_t form = form_of_replicate(i, choice.forms.size());
    fit.replicates.push_back({form, Terms::Part(terms, times).fit(choice.forms[form])});
  }
  set_quality(fit, observations);
  return fit;
}

double weight_of_run(const NamedSizes& run_sizes, std::size_t i) {
  std::uint64_t hash = i + 1;
  for (const auto& [name, value] : run_sizes) {
    hash = CounterRandom(hash)(static_cast<std::uint64_t>(value));
  }
  constexpr double kToUnit = 0x1p-64;
  return -std::log((static_cast<double>(hash) + 1) * kToUnit);
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
