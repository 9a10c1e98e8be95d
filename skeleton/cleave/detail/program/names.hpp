// SPDX-License-Identifier: Apache-2.0
// Options that take one of a few names.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::detail {

/// Values and the names that they are given by.
template <class Value, std::size_t n>
using Names = std::array<std::pair<std::string_view, Value>, n>;

/// The value of that name. \throws UsageError  naming all that are allowed
template <class Value, std::size_t n>
Value parse_name(const Names<Value, n>& names, std::string_view text) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) {
    if (name == text) {
      return value;
    }
    known.push_back(name);
  }
  throw UsageError(fmt::format("'{}' is not one of {}", text, fmt::join(known, ", ")));
}

/// The first name of `value`. \pre  it has one
template <class Value, std::size_t n>
std::string_view name_among(const Names<Value, n>& names, Value value) {
  return std::find_if(names.begin(), names.end(),
                      [value](const auto& named) { return named.second == value; })
      ->first;
}

}  // namespace cleave::detail
