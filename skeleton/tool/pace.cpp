// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/tool/pace.hpp>

namespace cleave::detail {

void Pace::add(double work, double seconds) {
  work_ += work;
  seconds_ += seconds;
  squares_ += seconds * seconds / work;
}

std::optional<Range> Pace::remaining_s(double work, double current_s) const {
  constexpr double kLeast = 0.1;
  if (work_ <= 0) {
    return std::nullopt;
  }
  const double mean = seconds_ / work_;
  const double deviation = std::sqrt(std::max(squares_ / work_ - mean * mean, 0.0));
  const double either_side = std::max(2 * deviation, kLeast * mean);
  return Range{std::max(work * (mean - either_side) - current_s, 0.0),
               std::max(work * (mean + either_side) - current_s, 0.0)};
}

std::string format_range(const Range& seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  const auto range = [&](double unit, const char* name) {
    const double low = seconds.low / unit;
    const double high = seconds.high / unit;
    const auto text = [high](double value) {
      return high < 10 && value >= 0.05 ? fmt::format("{:.1f}", value)
                                        : fmt::format("{:.0f}", value);
    };
    return text(low) == text(high) ? fmt::format("{} {}", text(high), name)
                                   : fmt::format("{} to {} {}", text(low), text(high), name);
  };
  if (seconds.high < 1) {
    return "less than 1 s";
  }
  return seconds.high < 2 * kMinute ? range(1, "s")
         : seconds.high < 2 * kHour ? range(kMinute, "min")
                                    : range(kHour, "h");
}

std::string format_duration(double seconds) {
  constexpr int kMinute = 60;
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < kMinute) {
    return fmt::format("{} s", whole);
  }
  if (whole < kMinute * kMinute) {
    return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  }
  return fmt::format("{} h {} min", whole / (kMinute * kMinute), whole / kMinute % kMinute);
}

}  // namespace cleave::detail
