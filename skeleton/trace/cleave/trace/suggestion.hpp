// SPDX-License-Identifier: Apache-2.0
// What a person meant who mistyped a word.
#pragma once

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::detail {

/// How many letters must be inserted, deleted or replaced to make `a` from `b` (Levenshtein, 1966).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word of `words` that is nearest to `typed`; empty if none is near: at most a third of its
/// letters may differ, rounded up.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

/// "; did you mean predict?", or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words);

/// The same for names that are views.
template <std::ranges::input_range Words>
std::string did_you_mean(std::string_view typed, const Words& words) {
  std::vector<std::string> all;
  for (const std::string_view word : words) {
    all.emplace_back(word);
  }
  return did_you_mean(typed, all);
}

}  // namespace cleave::detail
