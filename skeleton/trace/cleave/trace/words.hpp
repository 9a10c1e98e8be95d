// SPDX-License-Identifier: Apache-2.0
// Text for people: counts, times, what comes from outside, lines that a terminal holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cleave::detail {

/// "1 rank", "8 ranks".
std::string format_ranks(int ranks);

/// "90", "20ms", "1.5h", "1h30m", "2:00:00", "2d" as seconds, above 0 and at most 1e9.
/// \throws UsageError
double parse_duration(std::string_view text);

/// "4.8 d", "2.5 h", "1.916 s", "61 ms": four digits at most, in the unit in which it is easy to
/// read. \pre  seconds >= 0
std::string format_seconds(double seconds);

/// "keeps state: repetition 2 took 1/60 of the first", of one input; empty where it took more than
/// an eighth, or the first at most 0.2 s, which cold memory or a busy host may explain.
std::string kept_state(std::int64_t first_ns, std::int64_t second_ns);

/// `text` with '?' for what a terminal would obey and a line of a table cannot hold: control
/// characters, in UTF-8 also those from U+0080 to U+009F, marks of direction and of byte order.
std::string visible(std::string_view text);

/// One word of a shell.
std::string quote(std::string_view word);

/// Whether a size may have this name: a letter, then letters, digits and '_', at most 64.
bool is_size_name(std::string_view name);

inline constexpr std::size_t kTerminalColumns = 80;

/// Characters rather than bytes, of UTF-8.
std::size_t width_of(std::string_view text);

/// Takes a line of at most `width` characters off `text`: up to the last blank that it has room
/// for, else up to the first. Blanks that `text` begins with stay.
std::string_view next_line(std::string_view& text, std::size_t width);

/// `text` and an end of line, broken at blanks into lines of at most `kTerminalColumns` characters
/// where no word is longer: further lines begin with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent = 2);

}  // namespace cleave::detail
