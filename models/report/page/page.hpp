// SPDX-License-Identifier: Apache-2.0
// A report as one HTML page that needs no other file and no network: styles, plots, data and the
// predictor itself are in it. Where the build had no compiler for WebAssembly the page shows what
// `report.answers` hold, and says so.
#pragma once

#include <string>
#include <string_view>

#include "models/report/report.hpp"

namespace cleave::models {

/// \throws Error  if there is no memory to compress it
std::string to_html(const Report& report);

/// What the page's scripts know of the report (page/start.js says who reads what): runs, residuals,
/// messages, examples, and what the controls offer.
std::string data_json(const Report& report);

/// Bytes as a page holds them: gzip, then base64. page/start.js reads them back.
/// \throws Error  if zlib has no memory
std::string packed(std::string_view bytes);

/// Of bytes that are gzip already: four characters for three.
std::string base64(std::string_view bytes);

}  // namespace cleave::models
