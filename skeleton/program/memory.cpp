// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <cleave/error.hpp>
#include <cleave/run_options.hpp>

namespace cleave {

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t available_on_host() {
  constexpr std::int64_t kKibibyte = 1024;
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    std::int64_t kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) {
      return kibibytes * kKibibyte;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return kNoLimit;
}

/// Of version 2, as it is seen within a container. Cached files count as available.
std::int64_t available_in_control_group() {
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::ifstream used_file("/sys/fs/cgroup/memory.current");
  if (!(limit_file >> limit) || !(used_file >> used)) {
    return kNoLimit;
  }
  std::ifstream statistics("/sys/fs/cgroup/memory.stat");
  std::int64_t bytes = 0;
  for (std::string name; statistics >> name >> bytes;) {
    used -= name == "active_file" || name == "inactive_file" ? bytes : 0;
  }
  return std::max<std::int64_t>(0, limit - used);
}

}  // namespace

std::int64_t available_memory() {
  return std::min(available_on_host(), available_in_control_group());
}

void require_memory(std::int64_t bytes, int ranks) {
  constexpr double kGibibyte = 1 << 30;
  const std::int64_t available = available_memory();
  if (bytes > available / ranks) {
    throw Error(fmt::format(
        "not enough memory: {} of {:.1f} GiB each on one host, which has {:.1f} GiB",
        ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks),
        static_cast<double>(bytes) / kGibibyte, static_cast<double>(available) / kGibibyte));
  }
}

}  // namespace cleave
