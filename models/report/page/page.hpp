// SPDX-License-Identifier: Apache-2.0
// A report as one HTML page that needs no other file and no network: styles, plots, data and the
// predictor itself are in it. Where the build had no compiler for WebAssembly the page shows what
// `report.answers` hold, and says so.
#pragma once

#include <string>

#include "models/report/report.hpp"

namespace cleave::models {

/// \throws Error  if there is no memory to compress it
std::string to_html(const Report& report);

}  // namespace cleave::models
