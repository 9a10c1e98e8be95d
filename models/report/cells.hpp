// SPDX-License-Identifier: Apache-2.0
// Cells of tables, by what they hold.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/format.hpp"
#include "models/report/report.hpp"

namespace cleave::models {

inline Cell text(const std::string& value) { return {value, value}; }

inline Cell number(double value, std::string shown) {
  return {std::move(shown), fmt::format("{}", value)};
}

inline Cell whole(std::int64_t value) {
  const std::string digits = std::to_string(value);
  return {digits, digits};
}

/// In seconds, as the column's head says, with four digits that count: "1.916", "2.300e-06".
inline Cell seconds(double value) {
  const bool is_usual = value == 0 || (value >= 1e-4 && value < 1e5);
  return number(value, is_usual ? fmt::format("{:#.4g}", value) : fmt::format("{:.3e}", value));
}

inline Cell percent(double value) { return number(value, fmt::format("{:.2f} %", 100 * value)); }

inline Cell signed_percent(double value) {
  return number(value, fmt::format("{:+.2f} %", 100 * value));
}

inline Cell count(std::int64_t value) { return {format_count(value), fmt::format("{}", value)}; }

/// "2 ranks", "2 ranks of 2 threads".
inline std::string format_workers(int ranks, int threads) {
  const std::string of_ranks = detail::format_ranks(ranks);
  return threads == 1 ? of_ranks : fmt::format("{} of {} threads", of_ranks, threads);
}

}  // namespace cleave::models
