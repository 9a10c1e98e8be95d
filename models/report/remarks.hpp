// SPDX-License-Identifier: Apache-2.0
// What predictions rest on besides the model's fits, said once for all of them.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// The remarks of several predictions, each once, with the numbers of ranks that it is about.
class Remarks {
 public:
  void add(const Prediction& prediction);

  /// In the order in which they came: "l and g are those of 8 ranks" where it is so of every number
  /// of ranks that was added, else "at 16 to 1024 ranks: l and g are those of 8 ranks".
  std::vector<std::string> texts() const;

 private:
  std::string ranks_text(const std::set<int>& some) const;

  std::set<int> ranks_;  ///< of all predictions
  std::vector<std::pair<std::string, std::set<int>>> remarks_;
};

}  // namespace cleave::models
