// SPDX-License-Identifier: Apache-2.0
#include "models/interval.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace cleave::models {

namespace {

constexpr double kUpperTail = 0.975;
constexpr double kAsGoodAsNormal = 1e6;  ///< degrees of freedom

}  // namespace

double quantile_975(double freedom) {
  if (!(freedom < kAsGoodAsNormal)) {
    return boost::math::quantile(boost::math::normal(), kUpperTail);
  }
  return boost::math::quantile(boost::math::students_t(std::max(1.0, freedom)), kUpperTail);
}

Variance sum_of(std::span<const Variance> variances) {
  double sum = 0;
  double welch = 0;
  for (const Variance& v : variances) {
    sum += v.value;
    welch += v.value * v.value / v.freedom;
  }
  return {sum, welch > 0 ? sum * sum / welch : std::numeric_limits<double>::infinity()};
}

Interval interval_95(double middle, const Variance& variance) {
  const double half = quantile_975(variance.freedom) * std::sqrt(variance.value);
  return {std::max(0.0, middle - half), middle + half};
}

}  // namespace cleave::models
