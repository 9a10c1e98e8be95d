// SPDX-License-Identifier: Apache-2.0
// What tells one tree from another, as people type it. There are the trees of Prins, "Unbalanced
// Tree Search Benchmark", 2003, and those of its successor, the public UTS 1.1 with its option
// letters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/uts/node.hpp"

namespace cleave::uts {

/// The counts of a traversal. The root counts as a node; a leaf is a node without children.
struct TreeCounts {
  std::int64_t nodes = 0;
  std::int64_t leaves = 0;
  std::int64_t max_depth = 0;

  friend bool operator==(const TreeCounts&, const TreeCounts&) = default;
};

/// How many processors can be of use: nodes / depth, since the nodes along the deepest path follow
/// from each other (Prins 2003, section 3).
inline double available_parallelism(const TreeCounts& counts) {
  return static_cast<double>(counts.nodes) /
         static_cast<double>(counts.max_depth == 0 ? 1 : counts.max_depth);
}

/// How a node's number of children is drawn. In the order of option -t.
enum class TreeType {
  binomial,   ///< m with probability q, else none; the root has b
  geometric,  ///< geometrically distributed, with a mean that depends on the depth
  hybrid,     ///< geometric down to a fraction of the depth parameter, binomial below
  balanced,   ///< b down to the depth parameter
};

/// How the mean of a geometric tree depends on the depth. In the order of option -a.
enum class Shape { linear, exp_dec, cyclic, fixed };

struct TreeParameters {
  /// Prins 2003: binomial, the root's id is `root` itself, a random value has 32 bits. UTS 1.1: the
  /// root's id is the hash of the seed, the last number of `root`; a random value has 31 bits.
  bool is_prins = false;
  TreeType type = TreeType::geometric;
  double root_branching = 4;  ///< b; of a binomial root, how many children rounded down: n_r
  NodeId root{};              ///< r
  double interior_probability = 0.234375;  ///< q
  std::uint32_t interior_children = 4;     ///< m
  Shape shape = Shape::linear;
  std::uint32_t depth_parameter = 6;  ///< d
  double binomial_from = 0.5;         ///< f, of hybrid trees: the fraction of d

  friend bool operator==(const TreeParameters&, const TreeParameters&) = default;
};

/// No node has more children in UTS 1.1, but for a binomial root.
inline constexpr std::uint32_t kMaxUtsChildren = 100;

/// "prins:T1", "prins:r=0x101,n=3200,q=0.234375,m=4" (r is decimal or hexadecimal, of at most 64
/// bits; 0 if left out), or a name of UTS 1.1: "T3L".
/// \throws UsageError  naming what is missing, unknown or out of range
TreeParameters parse_tree(std::string_view text);

/// Changes the parameter of a UTS 1.1 option letter: t, b, r, q, m, a, d or f.
/// \throws UsageError  if `text` is not a value of it
void set_by_letter(TreeParameters& parameters, char letter, std::string_view text);

/// The text that `parse_tree` or a command line reads: "prins:...", "-t 0 -b 2000 ...".
std::string text_of(const TreeParameters& parameters);

/// The published counts of the tree, as far as there are any.
std::optional<TreeCounts> known_counts(const TreeParameters& parameters);

}  // namespace cleave::uts
