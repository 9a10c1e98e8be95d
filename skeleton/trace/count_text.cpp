// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include <cleave/trace/count_text.hpp>

namespace cleave::detail {

std::string rounded_count(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
    count /= 1000;
  }
  return fmt::format("{:.3g}{}", count, kUnits[unit]);
}

}  // namespace cleave::detail
