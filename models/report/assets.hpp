// SPDX-License-Identifier: Apache-2.0
// The texts that a page is made of. The build embeds them from the files beside this one.
#pragma once

#include <string_view>

namespace cleave::models::assets {

extern const std::string_view page_css;
extern const std::string_view page_js;
extern const std::string_view uplot_css;
extern const std::string_view uplot_js;

}  // namespace cleave::models::assets
