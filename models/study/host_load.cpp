// SPDX-License-Identifier: Apache-2.0
#include "models/study/host_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace cleave::models {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double used_by(int who) {
  rusage usage{};
  return ::getrusage(who, &usage) == 0 ? seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)
                                       : 0;
}

}  // namespace

HostTimes host_times(std::string_view stat, double own_s) {
  // proc(5): user, nice, system, idle, iowait, irq, softirq, steal, in ticks
  constexpr int kColumns = 8;
  std::istringstream words{std::string(stat.substr(0, stat.find('\n')))};
  const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  HostTimes times{.own_s = own_s};
  std::string first;
  if (!(words >> first) || first != "cpu") {
    return times;
  }
  double ticks = 0;
  for (int column = 0; column < kColumns && words >> ticks; ++column) {
    const bool is_idle = column == 3 || column == 4;
    times.all_s += tick_s * ticks;
    times.busy_s += is_idle ? 0 : tick_s * ticks;
  }
  return times;
}

HostTimes host_times() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return host_times(line, used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN));
}

double used_by_others(const HostTimes& before, const HostTimes& after) {
  const double all_s = after.all_s - before.all_s;
  const double others_s = after.busy_s - before.busy_s - (after.own_s - before.own_s);
  return all_s > 0 ? std::max(0.0, others_s / all_s) : 0;
}

}  // namespace cleave::models
