// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <cleave/costs.hpp>

namespace cleave {

double Curve::operator()(double ratio) const {
  const auto after = std::upper_bound(ratios.begin(), ratios.end(), ratio);
  if (after == ratios.begin()) {
    return values.front();
  }
  if (after == ratios.end()) {
    return values.back();
  }
  const auto i = static_cast<std::size_t>(after - ratios.begin());
  const double part = std::log(ratio / ratios[i - 1]) / std::log(ratios[i] / ratios[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

double Curve::power_of_two(double exponent) { return std::exp2(exponent); }

}  // namespace cleave
