// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr Unit kDay{"d", 86400};
constexpr Unit kHour{"h", 3600};
constexpr Unit kMinute{"min", 60};
constexpr Unit kSecond{"s", 1};
constexpr Unit kMillisecond{"ms", 1e-3};

/// The seconds of units from the largest to the smallest, or of a number alone; 0 of anything else.
double sum_of(std::string_view text) {
  constexpr std::array kTyped = {kDay, kHour, kMinute, Unit{"m", 60}, kSecond, kMillisecond};
  double sum = 0;
  double last = std::numeric_limits<double>::infinity();
  for (std::string_view rest = text; !rest.empty();) {
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || !(value >= 0)) {
      return 0;
    }
    const bool is_first = rest.size() == text.size();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (is_first && rest.empty()) {
      return value;
    }
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789."));
    const auto* const unit = std::ranges::find(kTyped, name, &Unit::name);
    if (unit == kTyped.end() || unit->seconds >= last) {
      return 0;
    }
    sum += value * unit->seconds;
    last = unit->seconds;
    rest.remove_prefix(name.size());
  }
  return sum;
}

}  // namespace

std::string format_ranks(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

std::string rounded_count(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
    count /= 1000;
  }
  return fmt::format("{:.3g}{}", count, kUnits[unit]);
}

double parse_duration(std::string_view text) {
  constexpr double kMax_s = 1e9;
  const double seconds = sum_of(text);
  if (!(seconds > 0) || seconds > kMax_s) {
    throw UsageError(fmt::format(
        "'{}' is not a time above 0 and up to 1e9 s: give seconds, or 20ms, 90s, 15m, 1h30m, 2d",
        text));
  }
  return seconds;
}

std::string format_seconds(double seconds) {
  for (const Unit& unit : {kDay, kHour, kMinute, kSecond, kMillisecond, Unit{"us", 1e-6}}) {
    const double count = seconds / unit.seconds;
    const bool is_long = unit.seconds > 1;
    if (count >= (is_long ? 2 : 1)) {  // 90 min rather than 1.5 h
      return is_long && count >= 1000
                 ? fmt::format("{:.0f} {}", count, unit.name)
                 : fmt::format("{:.{}g} {}", count, is_long ? 3 : 4, unit.name);
    }
  }
  return seconds > 0 ? fmt::format("{:.4g} ns", seconds / 1e-9) : "0 s";
}

std::string visible(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_long_control = c == 0xc2 && next >= 0x80 && next < 0xa0;
    i += is_long_control ? 1 : 0;
    shown += c < 0x20 || c == 0x7f || is_long_control ? '?' : static_cast<char>(c);
  }
  return shown;
}

bool is_size_name(std::string_view name) {
  constexpr std::size_t kMaxLength = 64;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_allowed = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kMaxLength && is_letter(name.front()) &&
         std::ranges::all_of(name, is_allowed);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

std::string_view next_line(std::string_view& text, std::size_t width) {
  std::size_t end = std::string_view::npos;
  for (std::size_t i = std::min(text.find_first_not_of(' '), text.size()); i <= text.size(); ++i) {
    if (i == text.size() || text[i] == ' ') {
      const bool fits = width_of(text.substr(0, i)) <= width;
      end = fits || end == std::string_view::npos ? i : end;
      if (!fits) {
        break;
      }
    }
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', line.size()), text.size()));
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string lines = std::string(next_line(text, kTerminalColumns)) + '\n';
  while (!text.empty()) {
    lines += std::string(indent, ' ').append(next_line(text, kTerminalColumns - indent)) + '\n';
  }
  return lines;
}

}  // namespace cleave::detail
