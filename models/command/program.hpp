// SPDX-License-Identifier: Apache-2.0
// What the command `cleave` takes from the frame that all of Cleave's programs share.
#pragma once

#include <cleave/detail/program/command_line.hpp>
#include <cleave/detail/program/progress.hpp>

namespace cleave::models {

using detail::command_line_of;
using detail::one_line;
using detail::parse_command_line;
using detail::Progress;

}  // namespace cleave::models
