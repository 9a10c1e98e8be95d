// SPDX-License-Identifier: Apache-2.0
// Traces for Extra-P.
#pragma once

#include <span>
#include <string>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// Extra-P's JSON Lines: one line for each counted repetition, metric `time` in seconds, parameters
/// `p` and the sizes of the run. Its call paths are `DC_Call` (the whole run) and `DC_Call->BLOCK`
/// (the sum over levels of the longest over the ranks, as in equation 6).
std::string to_extra_p(std::span<const detail::Trace> traces);

}  // namespace cleave::models
