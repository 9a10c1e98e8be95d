// SPDX-License-Identifier: Apache-2.0
// Text for people, in lines that a terminal holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cleave::detail {

inline constexpr std::size_t kTerminalColumns = 80;

/// Characters rather than bytes, of UTF-8.
std::size_t width_of(std::string_view text);

/// Takes a line of at most `width` characters off `text`: up to the last blank that it has room
/// for, else up to the first. Blanks that `text` begins with stay.
std::string_view next_line(std::string_view& text, std::size_t width);

/// `text` and an end of line, broken at blanks into lines of at most `columns` characters where no
/// word is longer: further lines begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent = 2,
                    std::size_t columns = kTerminalColumns);

}  // namespace cleave::detail
