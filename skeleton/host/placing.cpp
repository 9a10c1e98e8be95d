// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
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

/// The group that the cores from `first` to `last` are in, if it is one.
std::optional<int> common_group(const HostCores& cores, int sharing, int first, int last) {
  const auto in_bounds = [&](int place) {
    return static_cast<std::size_t>(std::clamp(place, 0, static_cast<int>(cores.size()) - 1));
  };
  const int group = cores[in_bounds(first)].groups[static_cast<std::size_t>(sharing)];
  if (group == kNoGroup) {
    return std::nullopt;
  }
  for (int place = first; place <= last; ++place) {
    if (cores[in_bounds(place)].groups[static_cast<std::size_t>(sharing)] != group) {
      return std::nullopt;
    }
  }
  return group;
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

std::vector<std::vector<int>> circles_around(const HostCores& mine,
                                             std::span<const AllowedCores> ranks, std::size_t self,
                                             std::span<const std::vector<int>> places) {
  const auto group_of = [&](std::size_t rank, int sharing) {
    return places.empty() ? common_group(mine, sharing, ranks[rank].first, ranks[rank].last)
                          : common_group(mine, sharing, places[rank].front(), places[rank].back());
  };
  std::vector<std::vector<int>> circles;
  for (int sharing = 0; sharing <= kSharings; ++sharing) {
    const bool is_host = sharing == kSharings;
    const std::optional<int> own = is_host ? std::nullopt : group_of(self, sharing);
    std::vector<int> circle;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank != self && (is_host || (own && group_of(rank, sharing) == own))) {
        circle.push_back(static_cast<int>(rank));
      }
    }
    circles.push_back(std::move(circle));
  }
  // Of two groups with a core in common one holds the other, but a memory may hold packages.
  std::ranges::sort(circles, {}, &std::vector<int>::size);
  circles.erase(std::unique(circles.begin(), circles.end()), circles.end());
  std::erase_if(circles, [](const std::vector<int>& circle) { return circle.empty(); });
  return circles;
}

}  // namespace cleave::detail
