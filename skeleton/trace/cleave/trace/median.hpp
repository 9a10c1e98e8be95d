// SPDX-License-Identifier: Apache-2.0
// The median of measured values: what a point of a measurement is.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

namespace cleave::detail {

/// The middle value; of an even number of values the mean of the middle two.
/// \pre  !values.empty()
inline double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace cleave::detail
