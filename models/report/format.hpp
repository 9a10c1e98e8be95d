// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cleave/trace/duration.hpp>

namespace cleave::models {

/// The paper counts 32-bit words.
inline constexpr double kBytesPerWord = 4;

using detail::format_seconds;

}  // namespace cleave::models
