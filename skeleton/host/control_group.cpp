// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/host/control_group.hpp>

namespace cleave::detail {

namespace {

using std::filesystem::path;

/// Where the groups of one controller are: a hierarchy of version 1, or that of version 2.
struct Hierarchy {
  path top;    ///< the highest group that can be seen
  path group;  ///< this process's, at or below `top`
};

/// Whether one of the `names`, which commas part, is `name`.
bool lists(const std::string& names, std::string_view name) {
  std::istringstream each(names);
  for (std::string one; std::getline(each, one, ',');) {
    if (one == name) {
      return true;
    }
  }
  return false;
}

/// The path of this process's group in the hierarchy of `controller`; that of version 2 has none.
std::string group_in(const path& root, std::string_view controller) {
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : lists(controllers, controller)) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

/// Every place where the hierarchy of `controller`, or that of version 2 if it is empty, is
/// mounted.
std::vector<Hierarchy> hierarchies(const path& root, std::string_view controller) {
  std::vector<Hierarchy> found;
  const path group = group_in(root, controller);
  std::ifstream mounts(root / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // id, parent, device, what is mounted, where, options, fields up to "-", type, source, options
    std::istringstream fields(line);
    std::string skipped;
    std::string mounted;
    std::string where;
    std::string type;
    std::string options;
    fields >> skipped >> skipped >> skipped >> mounted >> where;
    while (fields >> skipped && skipped != "-") {
    }
    fields >> type >> skipped >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller)) {
      const path top = root / path(where).relative_path();
      const path below = group.lexically_relative(mounted);
      const bool is_seen = !below.empty() && *below.begin() != "..";
      found.push_back({.top = top, .group = is_seen ? (top / below).lexically_normal() : top});
    }
  }
  return found;
}

/// Calls `visit` with the folder of each group from this process's up.
template <class Visit>
void for_each_group(const path& root, std::string_view controller, Visit&& visit) {
  for (const auto& [top, own] : hierarchies(root, controller)) {
    for (path group = own;; group = group.parent_path()) {
      visit(group);
      if (std::distance(group.begin(), group.end()) <= std::distance(top.begin(), top.end())) {
        break;
      }
    }
  }
}

/// The number that a file begins with; nothing if there is no such file, or "max" in it.
std::optional<std::int64_t> number_in(const path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

/// Of the group's statistics `name` and those below; version 1 has both, and calls that "total_".
std::int64_t statistic(const path& file, const std::string& name) {
  std::int64_t of_group = 0;
  std::ifstream statistics(file);
  std::int64_t bytes = 0;
  for (std::string each; statistics >> each >> bytes;) {
    if (each == "total_" + name) {
      return bytes;
    }
    of_group = each == name ? bytes : of_group;
  }
  return of_group;
}

std::int64_t memory_left_in(const path& group, const char* limit_file, const char* used_file) {
  const auto limit = number_in(group / limit_file);
  const auto used = number_in(group / used_file);
  if (!limit || !used) {
    return kNoMemoryLimit;
  }
  const std::int64_t cached = statistic(group / "memory.stat", "active_file") +
                              statistic(group / "memory.stat", "inactive_file");
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - cached));
}

std::int32_t cores_in(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return kNoQuota;
  }
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(*quota / *period, 1, std::int64_t{kNoQuota}));
}

}  // namespace

std::int32_t cpu_quota(const path& root) {
  std::int32_t cores = kNoQuota;
  for_each_group(root, "cpu", [&](const path& group) {
    cores = std::min(cores, cores_in(number_in(group / "cpu.cfs_quota_us"),
                                     number_in(group / "cpu.cfs_period_us")));
  });
  for_each_group(root, "", [&](const path& group) {
    std::ifstream both(group / "cpu.max");
    std::int64_t quota = 0;
    std::int64_t period = 0;
    if (both >> quota >> period) {
      cores = std::min(cores, cores_in(quota, period));
    }
  });
  return cores;
}

std::int64_t memory_left(const path& root) {
  std::int64_t bytes = kNoMemoryLimit;
  for_each_group(root, "memory", [&](const path& group) {
    bytes =
        std::min(bytes, memory_left_in(group, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  });
  for_each_group(root, "", [&](const path& group) {
    bytes = std::min(bytes, memory_left_in(group, "memory.max", "memory.current"));
  });
  return bytes;
}

std::int32_t quota_of_this_process() {
  static const std::int32_t kQuota = cpu_quota();
  return kQuota;
}

}  // namespace cleave::detail
