// SPDX-License-Identifier: Apache-2.0
// What a program says of itself, for `cleave study`: one line of JSON (docs/formats.md).
#pragma once

#include <cleave/detail/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

inline constexpr int kDescriptionVersion = 1;

/// Whether the command line has --help, --version or --describe.
bool asks_to_be_told(int argc, char** argv);

/// The study of an application that says nothing of its own: sizes up to the default ones. Those of
/// searches fall by 1, since their trees grow exponentially; others by the square root of 2, and
/// from the second on, sizes have half, once and twice their share.
Study default_study(const ProgramTraits& program, bool is_quick);

/// Prints the line, for the type, placement and own options that the command line chose.
void print_description(const CommandLine& command_line, const Study& study,
                       const Study& quick_study);

}  // namespace cleave::detail
