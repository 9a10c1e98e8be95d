// SPDX-License-Identifier: Apache-2.0
// How much others use this host.
#pragma once

#include <string_view>

namespace cleave::models {

/// Processor seconds so far, from any moment on.
struct HostTimes {
  double all_s = 0;   ///< that the cores of this host had
  double busy_s = 0;  ///< that were used
  double own_s = 0;   ///< by this process, and by those that it started and that have ended
};

/// `stat` is the text of /proc/stat; without its line of all cores nothing was used.
HostTimes host_times(std::string_view stat, double own_s);
/// Of this host now.
HostTimes host_times();

/// The part of the cores that others used in between; 0 where it is not known.
double used_by_others(const HostTimes& before, const HostTimes& after);

}  // namespace cleave::models
