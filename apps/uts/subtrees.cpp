// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/subtrees.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace cleave::uts {

std::vector<std::int64_t> subtree_sizes(const Uts& uts, const SearchLimits& limits) {
  std::vector<std::int64_t> sizes;
  const Node root{.id = uts.tree.root_id(), .depth = 0};
  for (std::uint32_t child = 0; child < uts.tree.root_children(); ++child) {
    Forest forest{
        .frontier = {{.parent = root, .first = child, .last = child + 1}},
        .counted = {},
    };
    sizes.push_back(search_sequentially(uts, std::move(forest), limits).nodes);
  }
  return sizes;
}

SubtreeShares shares_of(std::vector<std::int64_t> sizes) {
  SubtreeShares shares;
  if (sizes.empty()) {
    return shares;
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  const auto count = static_cast<double>(sizes.size());
  const double nodes =
      1 + static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
  shares.count = static_cast<std::int64_t>(sizes.size());
  shares.single_node = static_cast<double>(std::count(sizes.begin(), sizes.end(), 1)) / count;
  shares.largest = static_cast<double>(sizes.front()) / nodes;
  shares.median_size =
      static_cast<double>(sizes[sizes.size() / 2] + sizes[(sizes.size() - 1) / 2]) / 2;
  double held = 0;
  std::size_t holding = 0;
  constexpr double kMaxNodes = 0.98;
  while (holding < sizes.size() && held < kMaxNodes * nodes) {
    held += static_cast<double>(sizes[holding++]);
  }
  shares.holding_98_percent = static_cast<double>(holding) / count;
  for (const std::int64_t size : sizes) {
    std::size_t power = size > 1 ? 1 : 0;
    for (std::int64_t rest = size; rest >= 10; rest /= 10) {
      ++power;
    }
    shares.by_power_of_ten.resize(std::max(shares.by_power_of_ten.size(), power + 1));
    ++shares.by_power_of_ten[power];
  }
  return shares;
}

}  // namespace cleave::uts
