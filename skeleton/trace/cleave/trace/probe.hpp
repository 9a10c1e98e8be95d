// SPDX-License-Identifier: Apache-2.0
// The probe: how fast a core is now, so that times are known that were taken while it was
// slower.
#pragma once

#include <cstdint>

namespace cleave::detail {

/// Nanoseconds that a fixed computation takes on the core that the caller runs on.
///
/// The least of four tries of about 0.1 ms, which keep a core's units for integers busy and need no
/// memory. So it says how high the core's clock is. It also says whether something else has a share
/// of the core: a program on its other thread, even of another virtual machine. It does not say
/// whether others use the memory.
std::int64_t probe_ns();

}  // namespace cleave::detail
