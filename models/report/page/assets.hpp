// SPDX-License-Identifier: Apache-2.0
// What a page is made of. The build embeds it from the files beside this one.
#pragma once

#include <string_view>

namespace cleave::models::assets {

extern const std::string_view page_css;
extern const std::string_view echarts_gzip;
extern const std::string_view format_js;
extern const std::string_view question_js;
extern const std::string_view answer_js;
extern const std::string_view controls_js;
extern const std::string_view curve_js;
extern const std::string_view tables_js;
extern const std::string_view charts_js;
extern const std::string_view over_ranks_js;
extern const std::string_view figures_js;
extern const std::string_view start_js;

/// The predictor as WebAssembly, empty where the build could not compile it; and the script that
/// opens it.
extern const std::string_view predictor_wasm_gzip;
extern const std::string_view predictor_js;

}  // namespace cleave::models::assets
