// Refuses a problem that the host has no memory for, before the system ends the program for it.
#pragma once

#include <cstdint>

namespace cleave {

/// Bytes that the host can give without swapping, by /proc/meminfo and the control group's limit.
std::int64_t available_memory();

/// \throws Error  if `ranks` ranks of this host cannot all have so many `bytes`
void require_memory(std::int64_t bytes, int ranks);

}  // namespace cleave
