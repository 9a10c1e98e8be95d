// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger/cost.hpp"

#include <fmt/format.h>

#include <cmath>

#include <cleave/error.hpp>

namespace cleave::splitting {

namespace {

void check_coefficient(const char* name, double value, double minimum) {
  if (!std::isfinite(value) || value < minimum) {
    throw Error(fmt::format("cost coefficient {} is {}, it must be at least {} and finite", name,
                            value, minimum));
  }
}

}  // namespace

CostModel linear_cost(double a1, double a2) {
  check_coefficient("A1", a1, 0);
  check_coefficient("A2", a2, 0);
  return {.price =
              [=](const SplitSize& size) {
                return a1 * static_cast<double>(size.n) + a2 * static_cast<double>(size.N);
              },
          .depends_on_n = a1 > 0,
          .name = fmt::format("{} n + {} N", a1, a2)};
}

CostModel superlinear_cost(double a1, double a2, double exponent) {
  check_coefficient("A1", a1, 0);
  check_coefficient("A2", a2, 0);
  check_coefficient("exponent", exponent, 1);
  return {.price =
              [=](const SplitSize& size) {
                return a1 * std::pow(static_cast<double>(size.n), exponent) +
                       a2 * std::pow(static_cast<double>(size.N), exponent);
              },
          .depends_on_n = a1 > 0,
          .name = fmt::format("{} n^{} + {} N^{}", a1, exponent, a2, exponent)};
}

}  // namespace cleave::splitting
