// The trees of Prins, "Unbalanced Tree Search Benchmark", 2003: T1, T2, T3 and others of the kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "apps/uts/node.hpp"

namespace cleave {

/// What a traversal counts. The root counts as a node; a leaf is a node without children.
struct TreeCounts {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t max_depth = 0;

  friend bool operator==(const TreeCounts&, const TreeCounts&) = default;
};

/// The root has id r and n_r children, whatever its id; any other node has m children if its last
/// 32 bits, divided by 2^32, are less than q, else none.
struct PrinsTree {
  NodeId root_id{};
  std::uint32_t root_children = 0;           ///< n_r
  double interior_probability = 0;           ///< q
  std::uint32_t interior_children = 0;       ///< m
  std::uint64_t interior_below = 0;          ///< ceil(q 2^32): u / 2^32 < q exactly if u < this
  std::optional<TreeCounts> known_counts{};  ///< as published, of T1, T2 and T3

  Node root() const { return {.id = root_id, .depth = 0}; }

  std::uint32_t children(const Node& node) const {
    if (node.depth == 0) {
      return root_children;
    }
    return node.id.back() < interior_below ? interior_children : 0;
  }

  /// Whether the expected number of nodes is finite: q m < 1.
  bool surely_ends() const { return interior_probability * interior_children < 1; }
};

/// The tree of a name or of its parameters: "prins:T1", "prins:r=0x101,n=3200,q=0.234375,m=4". r is
/// decimal, or hexadecimal of up to 40 digits; 0 if left out.
/// \throws UsageError  naming what is missing, unknown or out of range
PrinsTree parse_prins_tree(std::string_view text);

}  // namespace cleave
