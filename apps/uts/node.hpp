// SPDX-License-Identifier: Apache-2.0
// A node of an implicit tree: an id from which its children's ids follow by SHA-1.
#pragma once

#include <array>
#include <cstdint>

namespace cleave::uts {

/// 20 bytes, as five numbers of 32 bits, the first with the most significant bytes.
using NodeId = std::array<std::uint32_t, 5>;

struct Node {
  NodeId id{};
  std::uint32_t depth = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace cleave::uts
