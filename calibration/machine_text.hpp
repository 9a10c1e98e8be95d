// SPDX-License-Identifier: Apache-2.0
// What a calibration has found, for a terminal.
#pragma once

#include <string>

#include <cleave/trace/machine_file.hpp>

namespace cleave::calibration {

/// l and g of each piece, and how far they are from what was measured, in lines of at most 80
/// columns. A number below 0 is left out: the line of a piece need not hold at 0 bytes.
std::string text_of(const detail::Machine& machine);

}  // namespace cleave::calibration
