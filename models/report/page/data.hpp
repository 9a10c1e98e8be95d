// SPDX-License-Identifier: Apache-2.0
// What the scripts of a page know of its report, as JSON (page/start.js says who reads what).
#pragma once

#include <string>

#include "models/report/report.hpp"

namespace cleave::models {

/// Runs, residuals, messages, examples, and what the controls offer.
std::string data_json(const Report& report);

/// One array for each member of a span.
std::string timeline_json(const RunTimeline& timeline);

}  // namespace cleave::models
