// SPDX-License-Identifier: Apache-2.0
// What a person meant who mistyped a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::detail {

/// How many letters must be inserted, deleted or replaced to make `a` from `b` (Levenshtein, 1966).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean predict?" where a word is near to what was typed: at most a third of its letters
/// differ, rounded up. Else nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words);

}  // namespace cleave::detail
