// SPDX-License-Identifier: Apache-2.0
// A report as one HTML page that needs no other file and no network: styles, plots and data are in
// it.
#pragma once

#include <string>

#include "models/report/report.hpp"

namespace cleave::models {

std::string to_html(const Report& report);

}  // namespace cleave::models
