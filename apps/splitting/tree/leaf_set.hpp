// SPDX-License-Identifier: Apache-2.0
// A set of leaves of the current tree, as runs of consecutive positions on the curve. A processor's
// part is one run when only prefixes and suffixes move, and few runs otherwise.
#pragma once

#include <vector>

#include <cleave/frontier.hpp>

namespace cleave::splitting {

/// Positions [begin, end).
struct LeafRun {
  Index begin = 0;
  Index end = 0;

  Index size() const { return end - begin; }
  friend bool operator==(const LeafRun&, const LeafRun&) = default;
};

/// Sorted, disjoint, non-touching, non-empty runs. Models Frontier.
class LeafSet {
 public:
  LeafSet() = default;
  explicit LeafSet(LeafRun run);
  /// Any runs, in any order. \throws Error  if two overlap, or one is empty or begins below 0
  explicit LeafSet(std::vector<LeafRun> runs);
  /// \pre  `positions` rise
  static LeafSet of_positions(const std::vector<Index>& positions);

  Index size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<LeafRun>& runs() const { return runs_; }
  Index front() const { return runs_.front().begin; }
  Index back() const { return runs_.back().end - 1; }

  /// How many members lie in [begin, end). Cost: O(runs).
  Index count_in(LeafRun range) const;
  bool contains_all(const LeafSet& other) const;

  /// Removes the `n` members at end `side` and returns them. \pre 0 <= n <= size()
  LeafSet take(Index n, Side side);

  /// Removes `other`. \pre contains_all(other)
  void remove(const LeafSet& other);

  friend bool operator==(const LeafSet&, const LeafSet&) = default;

 private:
  void append(LeafRun run);

  std::vector<LeafRun> runs_;
  Index size_ = 0;
};

static_assert(Frontier<LeafSet>);

}  // namespace cleave::splitting
