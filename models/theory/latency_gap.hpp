// SPDX-License-Identifier: Apache-2.0
// Latency l and gap g of a machine from the times of messages of several sizes.
#pragma once

#include <span>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>

namespace cleave::models {

/// What one message size took: a median over repetitions of the longest time over the ranks.
struct MessagePoint {
  double message_bytes = 0;  ///< sent, and as many received, by each rank
  double seconds = 0;
};

/// l and g with their standard errors. Both are at least 0.
struct LatencyGap {
  double latency_s = 0;
  double latency_error_s = 0;
  double gap_s_per_byte = 0;
  double gap_error_s_per_byte = 0;
  double r_squared = 0;
};

/// Fits seconds = 2 (l + message_bytes * g), the paper's equation 9: one send and one receive. So l
/// and g are half of what the straight line through the measured exchanges has. Whether the network
/// moves both directions at once is thereby in g and is not counted again. Relative weights: a
/// message of 8 bytes counts as much as one of 4 MiB.
///
/// \throws Error  if the points do not determine both: fewer than three, or one size only
LatencyGap fit_latency_gap(std::span<const MessagePoint> points);

/// The same by pieces, of which each has at least 4 message sizes over a factor of 4: a fit across
/// a change in how the network sends is right nowhere. Each piece has its own l, which may be
/// negative since the line need not hold at 0 bytes, and g of at least 0. A cut is made where it
/// leaves least, up to three of them, as long as Schwarz's criterion (1978) falls. More than 96
/// points are brought down to as many by medians of neighbours.
///
/// \throws Error  as fit_latency_gap
std::vector<detail::MessageSegment> fit_message_segments(std::vector<MessagePoint> points);

/// Fills in l, g, their worst case and segments of `pattern` from its samples: of the median of
/// each message size, and of the longest time of each as the paper does. \throws Error  as
/// fit_latency_gap
void fit_communication(detail::Communication& pattern);

}  // namespace cleave::models
