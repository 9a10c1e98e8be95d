// SPDX-License-Identifier: Apache-2.0
// Traces as tables.
#pragma once

#include <span>
#include <string>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// One line a span (RFC 4180), with a column for each size; nanoseconds of the rank's own clock.
std::string to_span_csv(std::span<const detail::Trace> traces);

}  // namespace cleave::models
