// SPDX-License-Identifier: Apache-2.0
// A value as a function of sizes: the forms that explain what was measured, each with its weight.
// Together they say a median with a 95 % interval. The one fit that makes it is a posterior over
// few forms with prices (docs/explanation/model.md, "The law"). Terms are written as people write
// them: "1", "N", "N*log2(N)", "N^1.5", "N^log2(3)", "N*M".
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

namespace cleave::models {

/// Sizes as numbers: measured ones are counts, those derived by a model need not be whole.
using NamedValues = std::map<std::string, double>;

/// A product of powers of sizes and of their logarithms; without factors it is 1.
class Basis {
 public:
  struct Factor {
    std::string size;
    bool is_log = false;  ///< log2 of the size; of less than 1 it counts as 0
    double power = 1;

    friend bool operator==(const Factor&, const Factor&) = default;
  };

  Basis() = default;
  explicit Basis(std::vector<Factor> factors) : factors_(std::move(factors)) {}

  /// "1", or factors joined by '*', SIZE or log2(SIZE), each perhaps with ^POWER.
  std::string text() const;

  /// \throws Error  if `sizes` lacks one that this is a function of
  double operator()(const NamedValues& sizes) const;

  const std::vector<Factor>& factors() const { return factors_; }
  /// The names of the sizes that this is a function of.
  std::set<std::string> sizes() const;

  friend bool operator==(const Basis&, const Basis&) = default;

 private:
  std::vector<Factor> factors_;
};

/// The terms of a block's time, e.g. {1, N, M}.
using Form = std::vector<Basis>;

/// "1,N*log2(N)".
std::string text_of(const Form& form);
std::vector<std::string> term_names(const Form& form);

/// The size that is a number of ranks.
inline constexpr const char* kRanksSize = "ranks";

/// A value that was measured at some sizes.
struct Observation {
  NamedSizes run_sizes;    ///< of the run that it comes from
  int ranks_per_host = 1;  ///< that computed at once; 1 where the value does not depend on it
  NamedValues sizes;       ///< that the value is a function of
  double value = 0;        ///< seconds, or bytes; above 0
};

/// Minimum and maximum of each size.
using Ranges = std::map<std::string, std::pair<double, double>>;
Ranges ranges_of(const std::vector<Observation>& observations);
/// Sizes that are in every observation and take more than one value.
std::vector<std::string> varying_sizes(const std::vector<Observation>& observations);

/// One form of a law.
struct Hypothesis {
  Form form;
  double weight = 1;                 ///< its probability; those of a law add up to 1
  std::vector<double> coefficients;  ///< none negative
  /// The factors of ranks that share a host, by their number; 1 for the smallest number.
  std::map<int, double> factors;
  std::vector<double> covariance;  ///< of the coefficients, for a deviation of 1; row by row
  double deviation = 0;            ///< of an observation from the form, on the scale of logarithms
  double freedom = 1;              ///< degrees of freedom of that deviation
};

/// A value that is as likely above as below, and the range that holds it with 95 % probability.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;

  /// Half of the range, on the scale of logarithms; 0 of a value of 0.
  double half_width() const { return median > 0 ? std::log(high / low) / 2 : 0; }
};

/// The value of the number in `of` that is nearest to `number` by ratio; `none` of an empty map.
template <class Value>
Value nearest_to(int number, const std::map<int, Value>& of, Value none) {
  const auto distance = [number](const auto& entry) {
    return std::abs(std::log2(static_cast<double>(entry.first) / number));
  };
  return of.empty() ? none : std::ranges::min_element(of, {}, distance)->second;
}

struct Law {
  std::vector<Hypothesis> hypotheses;  ///< the most likely first
  Ranges range;                        ///< of the sizes that were measured
  // Values of the first form, at the observations.
  double r_squared = 0;
  double median_abs_relative_residual = 0;

  const Form& form() const { return hypotheses.front().form; }
  /// "N*log2(N)".
  std::string text() const { return text_of(form()); }
  /// The sizes of its forms.
  std::set<std::string> sizes() const;
  /// With the factor of the nearest measured ranks per host. \throws Error  if a size is missing
  Estimate at(const NamedValues& sizes, int ranks_per_host = 1) const;
  /// The median of this alone.
  double median(const NamedValues& sizes, int ranks_per_host = 1) const;
};

/// A form and what it costs to assume it, in nats: a form of price 1 must explain the
/// observations e times as well as one of price 0.
struct PricedForm {
  Form form;
  double price = 0;
};

/// Why something cannot be fitted: one sentence for the person who measured.
struct Refusal {
  std::string reason;
};

enum class Weights {
  relative,  ///< residuals count relative to what was measured
  ordinary,  ///< residuals count in their unit: the largest runs decide, as in the paper
};

/// The part of a value that no form explains, relative.
inline constexpr double kFloor = 0.02;
/// The weight of the floor, in observations. Chosen as the constants in fit_law.cpp.
inline constexpr double kFirmness = 4;

/// The posterior of `forms`. A form that needs a negative coefficient is dropped; where there is
/// one form only, it is prescribed, and the coefficient is 0. The result does not depend on the
/// order of the observations, and scales with their unit. Cost: a least squares problem for each
/// form, or 14 where ranks per host differ.
///
/// Refused: no observation; a prescribed form with fewer run sizes than coefficients and one more,
/// or whose columns depend on each other.
std::variant<Law, Refusal> fit_law(std::vector<Observation> observations,
                                   const std::vector<PricedForm>& forms,
                                   Weights weights = Weights::relative);

/// How well forms explain `observations`, by three steps of the fit: the logarithm of the evidence,
/// also where a coefficient is still negative.
std::function<double(const Form&)> first_look(std::vector<Observation> observations);

/// One column a coefficient, one number a row.
using Columns = std::vector<std::vector<double>>;

struct Solution {
  std::vector<double> coefficients;
  std::vector<double> covariance;  ///< where each row has a variance of 1; row by row
};

/// The coefficients with the least sum of weights * (values - columns * coefficients)^2 + ridge *
/// coefficients^2. Columns that depend on each other share. \pre  columns of length about 1
Solution solve(std::span<const double> weights, const Columns& columns,
               std::span<const double> values, double ridge = 1e-12);

/// Least squares without a negative coefficient: the best solution of all subsets of the columns.
std::vector<double> solve_non_negative(std::span<const double> weights, const Columns& columns,
                                       std::span<const double> values);

/// The x of `covariance` x = `values`. \pre  the matrix is symmetric, and positive definite
std::vector<double> solve_symmetric(const Columns& covariance, std::span<const double> values);

/// Columns that depend on each other: of length 1, one is within 1e-6 of a combination of the
/// others. None where `wanted` columns are independent.
std::vector<std::size_t> dependent_columns(const Columns& columns, std::size_t wanted);

/// The terms at the sizes of the observations.
Columns columns_of(const Form& form, const std::vector<Observation>& observations);

/// Why `observations` determine no coefficients, if so: the terms that depend on each other there.
/// `wanted` independent ones are enough.
std::optional<Refusal> refuse_dependent(const Form& form,
                                        const std::vector<Observation>& observations,
                                        std::size_t wanted);

/// S^power log2(S)^logarithms.
Basis power(const std::string& size, double power, int logarithms = 0);

/// The forms that a fit tries, with their prices (docs/explanation/model.md, "Forms"). Terms of a
/// size S are S^p, S^p log2 S and log2 S, powers above 1 only where S varies by a factor of four.
/// Forms of several sizes are too many to try: a search finds the likely ones by
/// some thousand first looks at `observations`.
std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations);

/// Forms of moves and copies: a constant and one or two sizes, the simplest first.
std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names);

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone, or M and N of a graph, in alphabetical order. None for other blocks and sizes.
std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names);

}  // namespace cleave::models
