// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include <cleave/error.hpp>
#include <cleave/size_step.hpp>
#include <cleave/sizes.hpp>

namespace cleave {

namespace {

constexpr std::string_view kPowers = "powers of ";
constexpr std::string_view kMultiples = "multiples of ";

/// The largest power that is not above `count`.
std::int64_t power_below(std::int64_t count, std::int64_t base) {
  std::int64_t power = 1;
  while (power <= count / base) {
    power *= base;
  }
  return power;
}

}  // namespace

SizeStep SizeStep::parse(std::string_view text) {
  SizeStep step;
  if (text.starts_with(kPowers)) {
    step = PowersOf{parse_count(text.substr(kPowers.size()))};
  } else if (text.starts_with(kMultiples)) {
    step = MultiplesOf{parse_count(text.substr(kMultiples.size()))};
  } else {
    step = MultiplesOf{0};
  }
  if (!step.is_valid()) {
    throw UsageError(fmt::format("'{}' is not a step of sizes, such as '{}2' or '{}64'", text,
                                 kPowers, kMultiples));
  }
  return step;
}

bool SizeStep::allows(std::int64_t count) const {
  return is_of_powers_ ? power_below(count, number_) == count : count % number_ == 0;
}

std::int64_t SizeStep::nearest(std::int64_t count) const {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t below = is_of_powers_ ? power_below(count, number_) : count - count % number_;
  const bool is_last = is_of_powers_ ? below > kMax / number_ : below > kMax - number_;
  if (below == count || is_last) {
    return below;
  }
  const std::int64_t above = is_of_powers_ ? below * number_ : below + number_;
  const auto asked = static_cast<double>(count);
  const bool is_below_nearer =
      below > 0 && asked / static_cast<double>(below) <= static_cast<double>(above) / asked;
  return is_below_nearer ? below : above;
}

std::string SizeStep::text() const {
  return fmt::format("{}{}", is_of_powers_ ? kPowers : kMultiples, number_);
}

}  // namespace cleave
