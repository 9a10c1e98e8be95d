// SPDX-License-Identifier: Apache-2.0
// Runs versions of a program in turn, so that what else happens on the host hits all alike.
#pragma once

#include <string>
#include <vector>

#include "models/report/comparison.hpp"

namespace cleave::models {

struct SideRunOptions {
  int ranks = 2;
  std::vector<std::string> sizes;  ///< empty: those of the first program's quick study
  int rounds = 8;
};

/// Runs every size of all programs, round by round, with the same input, forwards and backwards in
/// turn. Traces are kept in a temporary folder while it runs.
/// \throws UsageError   if one is no program of Cleave or refuses the sizes
/// \throws Error        if a run fails
/// \throws Stopped      after Ctrl-C
std::vector<ComparedSide> run_sides(const std::vector<std::string>& programs,
                                    const SideRunOptions& options);

}  // namespace cleave::models
