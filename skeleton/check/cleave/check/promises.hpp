// SPDX-License-Identifier: Apache-2.0
// The promises that an application broke, one sentence each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cleave::detail {

class Promises {
 public:
  /// The promises that follow are about the problem of this index.
  void begin_problem(std::size_t index) { problem_ = "problem " + std::to_string(index) + ": "; }

  /// Notes a broken promise, once for each problem. \return  whether it holds
  bool require(bool holds, std::string_view broken) {
    if (!holds) {
      std::string sentence = problem_ + std::string(broken);
      if (std::find(broken_.begin(), broken_.end(), sentence) == broken_.end()) {
        broken_.push_back(std::move(sentence));
      }
    }
    return holds;
  }

  std::vector<std::string> take() { return std::move(broken_); }

 private:
  std::string problem_;
  std::vector<std::string> broken_;
};

}  // namespace cleave::detail
