// SPDX-License-Identifier: Apache-2.0
// What the command `cleave` takes from the frame that all of Cleave's programs share.
#pragma once

#include <cleave/program/command_line.hpp>
#include <cleave/program/progress.hpp>
#include <cleave/program/pace.hpp>
#include <cleave/trace/suggestion.hpp>

namespace cleave::models {

using detail::command_line_of;
using detail::did_you_mean;
using detail::edit_distance;
using detail::Moment;
using detail::nearest_word;
using detail::one_line;
using detail::OneOf;
using detail::Pace;
using detail::parse_command_line;
using detail::Progress;
using detail::Range;

}  // namespace cleave::models
