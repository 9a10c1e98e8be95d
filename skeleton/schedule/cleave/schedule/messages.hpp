// SPDX-License-Identifier: Apache-2.0
// The small messages of a call: how long they are, and in how many rounds they go. The executors
// send them by these numbers, and the timing model counts them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cleave::detail {

/// Before every payload goes a header (link.hpp).
inline constexpr std::size_t kHeaderBytes = 16;
/// Payloads up to this length are sent without asking whether there is room; before a longer one
/// the two sides swap one byte.
inline constexpr std::size_t kMaxBytesUnasked = std::size_t{64} << 10;

/// Reports of a rank to its group in the sorting form (split_parts.hpp): once how large its part
/// is, at every level whether it is well, and how its part is cut.
inline constexpr std::size_t kPartBytes = 8;
inline constexpr std::size_t kStatusBytes = 1;
inline constexpr std::size_t kReportBytes = 40;

/// The message by which all ranks agree on a call, at its start and at its end.
inline constexpr std::size_t kAgreementBytes = 16;

/// How many samples are taken of `elements` that a group has: one in 64, but at least 4096 and at
/// most 32768. A half's size is then off by 1 / sqrt(samples) of itself.
constexpr std::int64_t sample_of(std::int64_t elements) {
  return std::min(elements, std::clamp<std::int64_t>(elements / 64, 4096, std::int64_t{1} << 15));
}

/// The first rank's choice of a splitter of so many bytes: whether there is one, the splitter, and
/// whether elements that equal it are shared out. Each is aligned to 8 bytes at most.
constexpr std::size_t choice_bytes(std::size_t splitter_bytes) {
  const std::size_t alignment = std::min<std::size_t>(8, splitter_bytes);
  const std::size_t with_ties = (splitter_bytes + 1 + alignment - 1) / alignment * alignment;
  return 8 + (with_ties + 7) / 8 * 8;
}

/// One round in which ranks tell each other, or one of them, what they have of `have` ranks.
struct Round {
  int have = 1;  ///< ranks whose data a rank has before the round
  int more = 1;  ///< ranks whose data it gets
};

/// The rounds in which each of `ranks` ranks gets what every other has (Bruck et al. 1997), or the
/// first one gets it (a binomial tree): ceil(log2 ranks).
inline std::vector<Round> rounds_of(int ranks) {
  std::vector<Round> rounds;
  for (int have = 1; have < ranks; have *= 2) {
    rounds.push_back({have, std::min(have, ranks - have)});
  }
  return rounds;
}

/// Bytes of a message of work stealing around the nodes that it may carry
/// (balancer.hpp).
inline constexpr std::size_t kSearchMessageBytes = 32;
/// Children of a rank in the tree of the waves that find the end of a search. The more, the fewer
/// levels, at each of which a rank must look up; but sending to all of them should take no longer
/// than that.
inline constexpr int kWaveFanOut = 8;

}  // namespace cleave::detail
