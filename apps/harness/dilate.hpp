// Time dilation: many ranks on few cores, each as if it had a core of its own.
#pragma once

#include "skeleton/options.hpp"

namespace cleave {

/// Makes every block of computation last `factor` times its processor time, by sleeping for the
/// rest: while some ranks sleep, others have the cores. With at most `factor` ranks a core, on a
/// network `factor` times slower than the one that is meant, all times are `factor` times those
/// that a core for each rank would give (Gupta et al., "To Infinity and Beyond: Time-Warped Network
/// Emulation", NSDI 2006).
void dilate_blocks(Options& options, double factor);

}  // namespace cleave
