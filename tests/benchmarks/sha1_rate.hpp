// SPDX-License-Identifier: Apache-2.0
// How many SHA-1 blocks a second one core of this machine hashes, by the best way that it has. A
// tree search whose nodes are hashes is held against it.
#pragma once

namespace cleave::benchmarks {

/// Blocks a second of independent messages, each with a message schedule of its own, interleaved
/// as many at a time as is fastest (1 to 4); by OpenSSL without SHA extensions. The best of many
/// short measurements. Takes about half a second.
double best_sha1_rate();

}  // namespace cleave::benchmarks
