// A node of an implicit tree: an id from which its children's ids follow by SHA-1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cleave {

/// 20 bytes, as five numbers of 32 bits, the first with the most significant bytes.
using NodeId = std::array<std::uint32_t, 5>;

struct Node {
  NodeId id{};
  std::uint32_t depth = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

/// The children of one node: the id of child i is SHA-1 of the node's id and i, 24 bytes in all,
/// each number with its most significant byte first (Prins, "Unbalanced Tree Search Benchmark",
/// 2003, section 1). Padding and parent are laid out once for all children.
class ChildIds {
 public:
  explicit ChildIds(const NodeId& parent);

  NodeId child(std::uint32_t i);

 private:
  static constexpr std::size_t kBlockBytes = 64;

  std::array<unsigned char, kBlockBytes> block_{};
};

}  // namespace cleave
