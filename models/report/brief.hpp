// SPDX-License-Identifier: Apache-2.0
// A report in a few lines of a terminal.
#pragma once

#include <string>

#include "models/report/report.hpp"

namespace cleave::models {

/// The verdict with what to do, in two lines if a shorter form of it fits these. Then a table: the
/// longest run on most ranks as measured and predicted, and what a person is told first.
std::string to_brief(const Report& report);

}  // namespace cleave::models
