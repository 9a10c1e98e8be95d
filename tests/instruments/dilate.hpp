// SPDX-License-Identifier: Apache-2.0
// Time dilation: many ranks on few cores, each as if it had a core of its own.
#pragma once

#include <cleave/kernel/call_options.hpp>

namespace cleave::detail {

/// Makes every block of computation last `factor` times its processor time, by sleeping for the
/// rest: while some ranks sleep, others have the cores. At most `factor` ranks share a core, and
/// the network is `factor` times slower than the one that is meant. Then all times are `factor`
/// times those that a core for each rank would give (Gupta et al., "To Infinity and Beyond:
/// Time-Warped Network Emulation", NSDI 2006).
///
/// \param repeats  every repetition of `options.recorder` has the same blocks in the same order, on
///                 one thread: a block then takes the least of its times in this repetition and
///                 those before, which keeps out what else disturbs the cores
void dilate_blocks(CallOptions& options, double factor, bool repeats);

}  // namespace cleave::detail
