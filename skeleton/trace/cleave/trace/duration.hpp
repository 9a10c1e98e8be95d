// SPDX-License-Identifier: Apache-2.0
// Times as people type and read them.
#pragma once

#include <string>
#include <string_view>

namespace cleave::detail {

/// "90", "20ms", "90s", "15m", "1h30m", "2d" as seconds, above 0 and at most 1e9.
/// \throws UsageError
double parse_duration(std::string_view text);

/// "4.8 d", "2.5 h", "1.916 s", "61 ms": four digits at most, in the unit in which it is easy to
/// read. \pre  seconds >= 0
std::string format_seconds(double seconds);

}  // namespace cleave::detail
