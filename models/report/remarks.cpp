// SPDX-License-Identifier: Apache-2.0
#include "models/report/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cleave::models {

void Remarks::add(const Prediction& prediction) {
  ranks_.insert(prediction.ranks);
  for (const std::string& text : prediction.remarks) {
    auto known = std::find_if(remarks_.begin(), remarks_.end(),
                              [&](const auto& remark) { return remark.first == text; });
    if (known == remarks_.end()) {
      known = remarks_.insert(remarks_.end(), {text, {}});
    }
    known->second.insert(prediction.ranks);
  }
}

std::vector<std::string> Remarks::texts() const {
  std::vector<std::string> texts;
  for (const auto& [text, of] : remarks_) {
    texts.push_back(of == ranks_ ? text : fmt::format("at {}: {}", ranks_text(of), text));
  }
  return texts;
}

std::string Remarks::ranks_text(const std::set<int>& some) const {
  const int first = *some.begin();
  const int last = *some.rbegin();
  const auto without_gap = std::distance(ranks_.find(first), ranks_.upper_bound(last));
  if (some.size() > 2 && without_gap == static_cast<std::ptrdiff_t>(some.size())) {
    return fmt::format("{} to {} ranks", first, last);
  }
  return fmt::format("{} {}", fmt::join(some, ", "), last == 1 ? "rank" : "ranks");
}

}  // namespace cleave::models
