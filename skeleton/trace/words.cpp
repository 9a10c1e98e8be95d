// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

struct Unit {
  std::string_view name;
  double size;
};
constexpr std::array<Unit, 6> kTimes = {
    {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}}};
constexpr std::array<Unit, 5> kCounts = {
    {{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}, {"", 1}}};
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+-";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Takes a number off `text`; none where it begins with none.
double take_number(std::string_view& text) {
  double number = kNone;
  const char* const end = text.data() + text.size();
  text = {std::from_chars(text.data(), end, number).ptr, end};
  return number;
}

}  // namespace

std::string format_ranks(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

double parse_duration(std::string_view text) {
  constexpr double kMax_s = 1e9;
  double seconds = 0;
  std::string_view unit = ":";
  for (std::string_view rest = text; !rest.empty();) {
    const bool is_first = rest.size() == text.size();
    const bool follows_colon = unit == ":";
    const double value = take_number(rest);
    unit = rest.substr(0, rest.find_first_of("0123456789"));
    rest.remove_prefix(unit.size());
    const bool is_plain = unit.empty() || unit == ":";  // sixty times as much before a colon
    const std::string_view name = is_plain ? "s" : unit == "m" ? "min" : unit;
    const auto* const known = std::ranges::find(kTimes, name, &Unit::name);
    const bool is_known = known != kTimes.end() && (is_first || is_plain == follows_colon);
    seconds += is_known ? value * known->size : kNone;
    seconds *= unit == ":" ? 60 : 1;
  }
  if (unit == ":" || !(seconds > 0 && seconds <= kMax_s)) {
    throw UsageError(fmt::format(
        "'{}' is not a time up to 1e9 s: as 90 (seconds), 20ms, 15m, 1h30m, 2:00:00, 2d", text));
  }
  return seconds;
}

std::string format_seconds(double seconds) {
  for (const Unit& unit : kTimes) {
    const double count = seconds / unit.size;
    const bool is_long = unit.size > 1;
    if (count >= (is_long ? 2 : 1)) {  // 90 min rather than 1.5 h
      return is_long && count >= 1000
                 ? fmt::format("{:.0f} {}", count, unit.name)
                 : fmt::format("{:.{}g} {}", count, is_long ? 3 : 4, unit.name);
    }
  }
  return seconds > 0 ? fmt::format("{:.4g} ns", seconds / 1e-9) : "0 s";
}

std::string kept_state(std::int64_t first_ns, std::int64_t second_ns) {
  return first_ns > 200'000'000 && 8 * second_ns < first_ns
             ? fmt::format("keeps state: repetition 2 took 1/{} of the first",
                           first_ns / std::max<std::int64_t>(second_ns, 1))
             : "";
}

std::string visible(std::string_view text) {
  std::string shown;
  for (std::size_t bytes = 0; !text.empty(); text.remove_prefix(bytes)) {
    const int ones = std::countl_one(static_cast<unsigned char>(text.front()));
    bytes = ones > 1 ? static_cast<std::size_t>(ones) : 1;
    const std::string_view one = text.substr(0, bytes);
    const bool is_utf8 = ones <= 4 && one.size() == bytes && width_of(one) == 1;
    const auto is_in = [one](auto first, auto last) { return one >= first && one <= last; };
    const bool is_hidden = one < " " || one == "\x7f" || is_in("\xc2\x80", "\xc2\x9f") ||
                           is_in("\xe2\x80\x8e", "\xe2\x80\x8f") || one == "\xef\xbb\xbf" ||
                           is_in("\xe2\x80\xaa", "\xe2\x80\xae") ||
                           is_in("\xe2\x81\xa6", "\xe2\x81\xa9");
    shown += is_hidden || !is_utf8 ? "?" : one;
    bytes = is_utf8 ? bytes : 1;
  }
  return shown;
}

std::string quote(std::string_view word) {
  std::string text;
  for (const char c : word) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word.empty() || word.find_first_not_of(kPlain) < word.size() ? "'" + text + "'" : text;
}

bool is_size_name(std::string_view name) {
  constexpr std::size_t kMaxLength = 64;
  constexpr std::string_view kAllowed = kPlain.substr(0, kPlain.find('.'));
  return !name.empty() && name.size() <= kMaxLength && kAllowed.find(name.front()) < 2 * 26 &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & '\xC0') != '\x80'; }));
}

std::string_view next_line(std::string_view& text, std::size_t width) {
  std::size_t end = text.size();
  if (width_of(text) > width) {
    const std::size_t first = text.find(' ', text.find_first_not_of(' '));
    end = first;
    for (std::size_t blank = first; blank != std::string_view::npos;
         blank = text.find(' ', blank + 1)) {
      end = width_of(text.substr(0, blank)) <= width ? blank : end;
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

namespace cleave {

std::int64_t parse_count(std::string_view text) {
  std::string typed(text);
  std::erase(typed, '_');
  std::string_view rest = typed;
  std::int64_t digits = -1;
  if (std::from_chars(typed.data(), typed.data() + typed.size(), digits).ptr == rest.end() &&
      digits >= 0) {
    return digits;
  }
  double count = detail::take_number(rest);
  if (rest.starts_with('^')) {
    rest.remove_prefix(1);
    count = std::pow(count, detail::take_number(rest));
  }
  rest.remove_suffix(rest.size() > 1 && rest.ends_with('B') ? 1 : 0);
  const auto* const unit = std::ranges::find(detail::kCounts, rest, &detail::Unit::name);
  count *= unit == detail::kCounts.end() ? detail::kNone : unit->size;
  if (!(count >= 0) || std::floor(count) != count) {
    throw UsageError(
        fmt::format("'{}' is not a count: as 12, 4K, 1.5M, 2G, 1T (1024-based), 1e9, 10^9", text));
  }
  if (count >= 0x1p63) {
    throw UsageError(fmt::format("'{}' is too large: a count is at most {}", text, INT64_MAX));
  }
  return static_cast<std::int64_t>(count);
}

std::string format_count(std::int64_t count) {
  const std::string shortest = std::to_string(count);
  if (shortest.size() > 6 && shortest.front() == '1' && shortest.find_last_not_of('0') == 0) {
    return fmt::format("10^{}", shortest.size() - 1);
  }
  for (const auto& [name, size] : detail::kCounts) {
    const auto unit = static_cast<std::int64_t>(size);
    const std::string units = std::to_string(count / unit);
    if (count % unit == 0 && units.find_last_not_of('0') < shortest.find_last_not_of('0')) {
      return fmt::format("{}{}", units, name);
    }
  }
  return shortest;
}

NamedSizes parse_sizes(std::string_view text) {
  NamedSizes sizes;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || !detail::is_size_name(part.substr(0, equals))) {
      throw UsageError(fmt::format("'{}' is not a size: NAME=COUNT, for example N=4M", part));
    }
    const std::string name(part.substr(0, equals));
    const std::int64_t count = parse_count(part.substr(equals + 1));
    if (count == 0) {
      throw UsageError(fmt::format("size '{}' must be at least 1", part));
    }
    if (!sizes.emplace(name, count).second) {
      throw UsageError(fmt::format("size {} is given twice", name));
    }
    if (comma == std::string_view::npos) {
      return sizes;
    }
    text.remove_prefix(comma + 1);
  }
}

std::string format_sizes(const NamedSizes& sizes, std::string_view between) {
  std::string text;
  for (const auto& [name, count] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : between, name, format_count(count));
  }
  return text;
}

}  // namespace cleave
