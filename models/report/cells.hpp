// SPDX-License-Identifier: Apache-2.0
// Cells of tables, by what they hold.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include <cleave/sizes.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/words.hpp>

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

/// With its unit as people read it; exactly in seconds, as the column's head says.
inline Cell seconds(double value) { return number(value, detail::format_seconds(value)); }

inline Cell percent(double value) { return number(value, fmt::format("{:.2f} %", 100 * value)); }

inline Cell signed_percent(double value) {
  return number(value, fmt::format("{:+.2f} %", 100 * value));
}

inline Cell count(std::int64_t value) { return {format_count(value), fmt::format("{}", value)}; }

/// Blank where nothing is known.
inline Cell known(bool is_known, Cell cell) { return is_known ? std::move(cell) : text(""); }

/// Blank below 0, where a fit explains nothing.
inline Cell r_squared_of(double value) {
  return known(value >= 0, number(value, fmt::format("{:.4f}", value)));
}

/// The time of a prediction, or "not known" (exactly: nothing) where it is no answer.
inline Cell time_of(const Prediction& p) {
  return p.is_answer() ? seconds(p.seconds) : Cell{"not known", ""};
}

/// "2 ranks", "2 ranks of 2 threads".
inline std::string format_workers(int ranks, int threads) {
  const std::string of_ranks = detail::format_ranks(ranks);
  return threads == 1 ? of_ranks : fmt::format("{} of {} threads", of_ranks, threads);
}

}  // namespace cleave::models
