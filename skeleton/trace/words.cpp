// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <limits>
#include <span>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
/// Printed are the first six.
constexpr std::array<Unit, 8> kUnits = {{{"d", 86400},
                                         {"h", 3600},
                                         {"min", 60},
                                         {"s", 1},
                                         {"ms", 1e-3},
                                         {"us", 1e-6},
                                         {"m", 60},
                                         {"", 1}}};

}  // namespace

std::string format_ranks(int ranks) {
  return fmt::format("{} {}", ranks, ranks == 1 ? "rank" : "ranks");
}

double parse_duration(std::string_view text) {
  constexpr double kMax_s = 1e9;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const auto* const unit = std::ranges::find(kUnits, std::string_view(rest, end), &Unit::name);
  const double seconds = error == std::errc() && unit != kUnits.end() ? value * unit->seconds : 0;
  if (!(seconds > 0) || seconds > kMax_s) {
    throw UsageError(fmt::format(
        "'{}' is not a time above 0 and up to 1e9 s: give seconds, or 20ms, 90s, 15m, 1.5h, 2d",
        text));
  }
  return seconds;
}

std::string format_seconds(double seconds) {
  for (const Unit& unit : std::span(kUnits).first(6)) {
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

std::string kept_state(std::int64_t first_ns, std::int64_t second_ns) {
  return first_ns > 20'000'000 && 8 * second_ns < first_ns
             ? fmt::format("keeps state: repetition 2 took 1/{} of the first",
                           first_ns / std::max<std::int64_t>(second_ns, 1))
             : "";
}

std::string visible(std::string_view text) {
  std::string shown;
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    const auto ends = [&](std::string_view start, int first, int last) {
      const bool is_end = shown.ends_with(start) && code >= first && code <= last;
      shown.resize(shown.size() - (is_end ? start.size() : 0));
      return is_end;
    };
    const bool is_hidden = code < 0x20 || code == 0x7f || ends("\xc2", 0x80, 0x9f) ||
                           ends("\xe2\x80", 0x8e, 0x8f) || ends("\xe2\x80", 0xaa, 0xae) ||
                           ends("\xe2\x81", 0xa6, 0xa9) || ends("\xef\xbb", 0xbf, 0xbf);
    shown += is_hidden ? '?' : each;
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

namespace {

constexpr std::array<std::pair<char, std::int64_t>, 3> kSuffixes = {
    {{'G', 1 << 30}, {'M', 1 << 20}, {'K', 1 << 10}}};

}  // namespace

std::int64_t parse_count(std::string_view text) {
  std::int64_t digits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::int64_t unit = rest.empty() ? 1 : 0;
  for (const auto& [letter, value] : kSuffixes) {
    unit = rest == std::string_view(&letter, 1) ? value : unit;
  }
  if (error == std::errc::invalid_argument || text.front() == '-' || unit == 0) {
    throw UsageError(fmt::format("'{}' is not a count: digits, then K, M or G (1024-based)", text));
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (error == std::errc::result_out_of_range || digits > kMax / unit) {
    throw UsageError(fmt::format("'{}' is too large: a count is at most {}", text, kMax));
  }
  return digits * unit;
}

std::string format_count(std::int64_t count) {
  assert(count >= 0);
  const std::string text = std::to_string(count);
  for (const auto& [letter, value] : kSuffixes) {
    const std::string units = std::to_string(count / value);
    if (count % value == 0 && units.find_last_not_of('0') < text.find_last_not_of('0')) {
      return units + letter;
    }
  }
  return text;
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

std::string format_sizes(const NamedSizes& sizes) {
  std::string text;
  for (const auto& [name, count] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, format_count(count));
  }
  return text;
}

}  // namespace cleave
