// SPDX-License-Identifier: Apache-2.0
// What a program says of itself, for `cleave study`: one line of JSON (docs/reference/formats.md).
#pragma once

#include <cleave/program/parse_options.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

inline constexpr int kDescriptionVersion = 1;

/// Whether the command line has --help, --version or --describe.
bool asks_to_be_told(int argc, char** argv);

/// The study of an application that says nothing of its own: the files that it names for it, else
/// sizes up to the default ones.
///
/// The first falls to 3/4 of itself from step to step. So powers of two, which halve evenly and
/// fill caches in their own way, do not take turns with others. The others have half, once and
/// twice their share of it. The first size of a search falls by 1, since its trees grow
/// exponentially. Where a size may have powers or multiples only, it falls from power to power, and
/// by the unit; else the nearest multiple counts.
Study default_study(const ProgramTraits& program, bool is_quick);

/// Prints the line, for the type, placement and own options that the command line chose.
void print_description(const ProgramTraits& program, const CommandLine& line, const Study& study,
                       const Study& quick_study);

}  // namespace cleave::detail
