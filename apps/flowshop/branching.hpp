// SPDX-License-Identifier: Apache-2.0
// How a node is divided: which of its two sets of children is taken, and which of these are kept;
// and branch-and-bound on one rank, depth first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "apps/flowshop/bounds.hpp"
#include "apps/flowshop/instance.hpp"

namespace cleave::flowshop {

/// The lower bound of a child.
enum class Bound {
  lb1,  ///< one machine; all children in one sweep, known as LB1_d
  lb2,  ///< two machines
  mix,  ///< LB1 decides on which side to branch, LB2 is computed if any child is left there
};

/// On which side of the permutation the children of a node fix a job. The last three look at the
/// bounds of both sets of children (Gmys, Mezmaz, Melab, Tuyttens, see bounds.hpp).
enum class Branching {
  forward,
  backward,
  alternate,   ///< at the front where an even number of jobs is fixed
  min_branch,  ///< where fewer children are kept; if equal, as max_sum
  min_min,     ///< where the least of all bounds occurs less often; if equal, as min_branch
  max_sum,     ///< where the sum of bounds is larger; if equal, at the front
};

/// The side that `branching`, one of the last three, prefers for a node of these bounds.
Side preferred_side(Branching branching, const Node& node, int incumbent, const ByJob& front_bounds,
                    const ByJob& back_bounds);

/// The rules and tables of one search. No function changes it, so that threads may share one.
class Brancher {
 public:
  /// \throws UsageError  if the instance is too large to be searched
  Brancher(const Instance& instance, Bound bound, Branching branching)
      : bounds_(instance), jobs_(instance.jobs), bound_(bound), branching_(branching) {}

  Node root() const { return bounds_.root(); }

  /// Appends the children of `node` whose bound is less than `incumbent`, the most promising last,
  /// where a stack takes it first.
  /// \param append  `std::span<Node> append(std::size_t count)`: room for so many
  /// \return  how many there are
  /// \pre  `node` is no leaf, and not itself where the children go
  template <class Append>
  std::size_t append_children(const Node& node, int incumbent, Append&& append) const {
    const KeptChildren kept = kept_children(node, incumbent);
    const std::span<Node> children = append(kept.count);
    for (std::size_t i = 0; i < kept.count; ++i) {
      children[i] = node;
      bounds_.fix_job(children[i], kept.side, kept.positions[i]);
    }
    return kept.count;
  }

  /// Appends the children to `children`.
  std::size_t append_children(const Node& node, int incumbent, std::vector<Node>& children) const {
    return append_children(node, incumbent, [&children](std::size_t count) {
      children.resize(children.size() + count);
      return std::span(children).last(count);
    });
  }

  /// The makespan of the one permutation below a leaf.
  int leaf_makespan(const Node& leaf) const { return bounds_.leaf_makespan(leaf); }

  /// The permutation of a node.
  Permutation leaf_permutation(const Node& leaf) const {
    return {leaf.permutation.begin(), leaf.permutation.begin() + jobs_};
  }

 private:
  /// A set of children: those that fix a job on `side`, and their bounds.
  struct Children {
    Side side;
    ByJob bounds;
  };

  /// Children to be searched: where in the node's permutation the jobs are that they fix.
  struct KeptChildren {
    Side side;
    std::size_t count;
    std::array<std::uint8_t, kMaxJobs> positions;
  };

  KeptChildren kept_children(const Node& node, int incumbent) const;

  /// The set that `branching_` prefers, bounded by LB1; by LB2 where the rule compares that.
  Children choose_children(const Node& node, int incumbent) const;

  Bounds bounds_;
  int jobs_;
  Bound bound_;
  Branching branching_;
};

/// Where nothing is known yet: more than any makespan.
inline constexpr int kNoMakespan = std::numeric_limits<int>::max();

struct SearchResult {
  std::int64_t explored = 0;   ///< nodes that were kept, leaves included; the root is not counted
  std::int64_t leaves = 0;     ///< nodes with one job left, whose makespan was computed
  int makespan = kNoMakespan;  ///< the least found, or the incumbent that the search began with
  std::optional<Permutation> permutation{};  ///< of `makespan`; none if no better one was found

  friend bool operator==(const SearchResult&, const SearchResult&) = default;
};

/// Searches for a permutation with a makespan less than `incumbent`. If the incumbent is the
/// optimum from the start, the counts depend on nothing but the bound and the branching rule.
SearchResult search_depth_first(const Brancher& brancher, int incumbent);

}  // namespace cleave::flowshop
