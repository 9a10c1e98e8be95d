// SPDX-License-Identifier: Apache-2.0
// 95 % intervals from variances that are themselves estimated.
#pragma once

#include <span>

namespace cleave::models {

/// A variance, and how many degrees of freedom its estimate has; infinite where it is known.
struct Variance {
  double value = 0;
  double freedom = 1;
};

/// Of a sum of independent errors: variances add up, freedom by Satterthwaite (1946).
Variance sum_of(std::span<const Variance> variances);

/// 97.5 % of Student's t distribution lie below it; at least one degree of freedom counts.
double quantile_975(double freedom);

struct Interval {
  double low = 0;
  double high = 0;
};

/// `middle` and the quantile t(0.975, freedom) of its deviation on either side; low is at least 0,
/// since no time is below.
Interval interval_95(double middle, const Variance& variance);

}  // namespace cleave::models
