// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

#include <cleave/host/host_cores.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(':');
      return colon + 2 < line.size() ? line.substr(colon + 2) : "unknown";
    }
  }
  return "unknown";
}

/// The caches of core 0, as Linux tells them.
std::vector<std::int64_t> data_caches() {
  std::vector<std::int64_t> bytes;
  for (int i = 0;; ++i) {
    const auto cache = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    std::string type;
    std::string size;
    if (!(std::ifstream(cache + "type") >> type && std::ifstream(cache + "size") >> size)) {
      std::sort(bytes.begin(), bytes.end());
      return bytes;
    }
    if (type != "Instruction") {
      bytes.push_back(parse_count(size));
    }
  }
}

}  // namespace

std::string version() { return CLEAVE_VERSION; }

std::string commit() { return CLEAVE_COMMIT; }

Provenance provenance_here(std::string program, std::string command_line, std::string clock) {
  return {.program = std::move(program),
          .version = version(),
          .commit = commit(),
          .command_line = std::move(command_line),
          .host = host_name(),
          .processor = processor_name(),
          .cores = usable_cores(),
          .cache_bytes = data_caches(),
          .mpi_library = "none",
          .clock = std::move(clock),
          .created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

}  // namespace cleave::detail
