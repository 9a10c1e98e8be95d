// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <cleave/tool/suggestion.hpp>

namespace cleave::detail {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i of the table: the distances of the first i letters of `a` to each beginning of `b`.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words) {
  std::string nearest;
  // At least one letter is right.
  std::size_t least = std::min((typed.size() + 2) / 3 + 1, typed.size());
  for (const std::string& word : words) {
    if (const std::size_t distance = edit_distance(typed, word); distance < least) {
      least = distance;
      nearest = word;
    }
  }
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

}  // namespace cleave::detail
