// SPDX-License-Identifier: Apache-2.0
// Trees by their option letters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/uts/parameters.hpp"

namespace cleave::uts::examples {

/// "t=1,a=3,d=10": the defaults of UTS 1.1, changed.
inline TreeParameters tree_of(std::string_view letters) {
  TreeParameters parameters;
  while (!letters.empty()) {
    const auto one = letters.substr(0, letters.find(','));
    set_by_letter(parameters, one.at(0), one.substr(2));
    letters.remove_prefix(std::min(letters.size(), one.size() + 1));
  }
  return parameters;
}

}  // namespace cleave::uts::examples
