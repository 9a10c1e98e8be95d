// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cassert>
#include <charconv>
#include <limits>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave {

namespace {

struct Suffix {
  char letter;
  std::int64_t value;
};
constexpr std::array<Suffix, 3> kSuffixes = {{{'G', 1 << 30}, {'M', 1 << 20}, {'K', 1 << 10}}};

}  // namespace

std::int64_t parse_count(std::string_view text) {
  std::int64_t digits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::int64_t unit = rest.empty() ? 1 : 0;
  for (const Suffix& known : kSuffixes) {
    if (rest.size() == 1 && rest.front() == known.letter) {
      unit = known.value;
    }
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
  for (const Suffix& unit : kSuffixes) {
    if (count > 0 && count % unit.value == 0) {
      return fmt::format("{}{}", count / unit.value, unit.letter);
    }
  }
  return fmt::format("{}", count);
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
