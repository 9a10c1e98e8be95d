// SPDX-License-Identifier: Apache-2.0
// A report as one HTML page that needs no other file and no network: styles, plots, data and the
// predictor itself are in it. If the build had no compiler for WebAssembly the page shows what
// `report.answers` hold, and says so.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace cleave::models {

struct Model;
struct Report;

/// \throws Error  if there is no memory to compress it
std::string to_html(const Report& report);

/// JSON for the page's scripts: the fields of a question, and runs.
std::string page_data(const Report& report);

/// The answer to a question, in sentences and numbers, as JSON. The page calls it as WebAssembly.
///
/// \param text    JSON. `fields` has the texts of the fields of page_data by their ids. It has
///                `file` and `machine` of the command that asks the same, too. `choices` are ranks
///                to plan with. The answer's `chosen` is the one that is taken, or 0.
/// \param field   becomes the id of the field that is being read; empty after the last
/// \throws UsageError, Error  as the readers of the fields and make_plan
std::string page_answer(const Model& model, const std::string& text, std::string& field);

/// The heads of an answer's `row`, which is one of the plan over ranks.
inline constexpr std::array kPlanHeads = {"ranks",      "time",         "95 % from",
                                          "to",         "speed-up",     "efficiency",
                                          "core hours", "held back by", "memory of a rank"};

/// Bytes as a page holds them: gzip, then base64. page/start.js reads them back.
/// \throws Error  if zlib has no memory
std::string packed(std::string_view bytes);

/// The assets: the build embeds them from the files beside this one.
namespace assets {

extern const std::string_view page_css;
extern const std::string_view echarts_gzip;
extern const std::string_view question_js;
extern const std::string_view tables_js;
extern const std::string_view figures_js;
extern const std::string_view start_js;
extern const std::string_view predictor_wasm_gzip;  ///< empty if the build could not compile it
extern const std::string_view predictor_js;         ///< opens it

}  // namespace assets

}  // namespace cleave::models
