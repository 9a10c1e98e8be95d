// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include <cleave/file.hpp>
#include <cleave/host/placing.hpp>

namespace cleave::detail {

namespace {

bool overlap(const AllowedCores& a, const AllowedCores& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Whether all workers get a core of their own.
bool fits(std::span<const AllowedCores> ranks, int threads) {
  return std::ranges::all_of(ranks, [&](const AllowedCores& rank) {
    const auto sharing = std::ranges::count(ranks, rank.set, &AllowedCores::set);
    const bool is_apart = std::ranges::none_of(ranks, [&](const AllowedCores& other) {
      return other.set != rank.set && overlap(rank, other);
    });
    return is_apart && sharing * threads <= rank.count;
  });
}

}  // namespace

AllowedCores summary_of(const HostCores& cores) {
  const std::vector<int> allowed = allowed_cores(cores);
  return {.set = crc_64(std::as_bytes(std::span(allowed))),
          .first = allowed.empty() ? 0 : allowed.front(),
          .last = allowed.empty() ? 0 : allowed.back(),
          .count = static_cast<int>(allowed.size())};
}

int cores_per_rank(std::span<const int> hosts, std::span<const AllowedCores> ranks) {
  std::map<std::pair<int, std::uint64_t>, int> sharing_set;
  std::map<int, int> sharing_host;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ++sharing_set[{hosts[i], ranks[i].set}];
    ++sharing_host[hosts[i]];
  }
  int fewest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    fewest = std::min({fewest, ranks[i].count / sharing_set[{hosts[i], ranks[i].set}],
                       ranks[i].quota / sharing_host[hosts[i]]});
  }
  return fewest;
}

bool take_all(std::span<const AllowedCores> ranks, int threads) {
  return std::ranges::all_of(ranks, [&](const AllowedCores& rank) {
    return std::ranges::count(ranks, rank.set, &AllowedCores::set) * threads == rank.count;
  });
}

std::vector<std::vector<int>> cores_of_workers(const HostCores& mine,
                                               std::span<const AllowedCores> ranks,
                                               std::size_t self, int threads) {
  if (std::ssize(ranks) * threads == 1 || !fits(ranks, threads)) {
    return {};
  }
  const std::vector<int> allowed = allowed_cores(mine);
  std::vector<std::vector<int>> places;
  std::size_t next = 0;
  for (const AllowedCores& rank : ranks) {
    if (rank.set == ranks[self].set) {
      const auto begin = allowed.begin() + static_cast<std::ptrdiff_t>(next);
      places.emplace_back(begin, begin + threads);
      next += static_cast<std::size_t>(threads);
    } else {
      places.push_back({rank.first, rank.last});
    }
  }
  return places;
}

}  // namespace cleave::detail
