// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <cleave/error.hpp>
#include <cleave/host/control_group.hpp>
#include <cleave/run_options.hpp>

namespace cleave {

namespace {

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
  return detail::kNoMemoryLimit;
}

}  // namespace

std::int64_t available_memory() { return std::min(available_on_host(), detail::memory_left()); }

void require_memory(std::int64_t bytes, int ranks) {
  constexpr double kGibibyte = 1 << 30;
  constexpr std::int64_t kAlwaysThere = 1 << 24;  // looking would take longer than to solve it
  if (bytes <= kAlwaysThere) {
    return;
  }
  const std::int64_t available = available_memory();
  if (bytes > available / ranks) {
    throw Error(fmt::format(
        "not enough memory: {} of {:.1f} GiB each on one host, which has {:.1f} GiB",
        ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks),
        static_cast<double>(bytes) / kGibibyte, static_cast<double>(available) / kGibibyte));
  }
}

}  // namespace cleave
