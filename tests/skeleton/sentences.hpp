// SPDX-License-Identifier: Apache-2.0
// What `check` answers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace cleave {

using Sentences = std::vector<std::string>;

inline const Sentences kNone;

inline bool says(const Sentences& broken, const std::string& sentence) {
  return std::ranges::find(broken, sentence) != broken.end();
}

}  // namespace cleave
