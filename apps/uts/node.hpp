// SPDX-License-Identifier: Apache-2.0
// Nodes of an implicit tree: an id from which the children's ids follow by SHA-1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cleave::uts {

/// 20 bytes, as five numbers of 32 bits, the first with the most significant bytes.
using NodeId = std::array<std::uint32_t, 5>;

struct Node {
  NodeId id{};
  std::uint32_t depth = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

/// Children [first, last) of a node, not yet visited: their ids are not even known. Never none, and
/// never more than kMaxSiblings.
struct Siblings {
  Node parent;
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
};

/// How many siblings are visited at once: the most that a node below the root can have.
inline constexpr std::uint32_t kMaxSiblings = 256;

/// The ids of nodes that are hashed together, as vectors hold them: each word of all of them in a
/// row. As many as stay in the nearest cache, and room for a vector behind them.
struct NodeIds {
  static constexpr std::size_t kMax = 2 * kMaxSiblings;
  static constexpr std::size_t kRoom = 64;

  alignas(256) std::array<std::array<std::uint32_t, kMax + kRoom>, 5> words;

  NodeId operator[](std::size_t i) const {
    return {words[0][i], words[1][i], words[2][i], words[3][i], words[4][i]};
  }
};

}  // namespace cleave::uts
