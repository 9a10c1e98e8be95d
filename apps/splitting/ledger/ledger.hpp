// SPDX-License-Identifier: Apache-2.0
// The ledger of a growing tree: who owns which node, what every split cost, and the tree of
// processors that the splits form. It is the only place that checks whether a split is legal and
// that charges for it; planners, policies and files all go through it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <cleave/error.hpp>

#include "apps/splitting/ledger/cost.hpp"
#include "apps/splitting/ledger/mode.hpp"
#include "apps/splitting/ledger/plan.hpp"
#include "apps/splitting/tree/growth.hpp"

namespace cleave::splitting {

/// What an illegal split breaks.
enum class Rule : std::uint8_t {
  processors_exist,
  giver_is_not_receiver,
  leaves_exist,
  some_leaves_move,
  giver_owns_leaves,
  giver_keeps_a_leaf,
  receiver_is_empty,
  mode_allows_leaves,
  stages_do_not_fall,
  price_is_not_negative,
};

class IllegalSplit : public Error {
 public:
  IllegalSplit(Rule rule, const std::string& what) : Error(what), rule_(rule) {}
  Rule rule() const { return rule_; }

 private:
  Rule rule_;
};

/// One line of the ledger.
struct Entry {
  Split split;
  SplitSize size;
  double cost = 0;  ///< F(size)
};

class Ledger {
 public:
  /// Stage 0: processor 0 owns the root and everything that grows from it. Refers to `tree`.
  /// Memory: 4 bytes a node. \throws Error  if processors < 1
  Ledger(const Tree& tree, int processors, Mode mode, CostModel cost);

  const Growth& growth() const { return growth_; }
  Mode mode() const { return plan_.mode; }
  int processors() const { return plan_.processors; }

  /// One step of growth: new nodes belong to their parent's owner, free of charge. O(N).
  void advance();
  /// Guided growth: only `allowed` leaves may refine in this step. Do not mix with `advance()`.
  void advance(const LeafSet& allowed);

  /// Moves `leaves` (positions among the current leaves) from `giver` to the empty `receiver`.
  /// Interior nodes follow when all their children left with this split and the giver owns their
  /// parent. Cost: O(n + runs of the giver).
  /// \throws IllegalSplit  naming the rule that it breaks; nothing has then changed
  void split(int giver, int receiver, const LeafSet& leaves);

  /// The same for the giver's first or last n leaves: `divide` on its part.
  void split(int giver, int receiver, Index n, Side side);

  const LeafSet& part(int processor) const { return parts_[processor]; }
  Index leaves_of(int processor) const { return parts_[processor].size(); }
  std::vector<Index> leaves_of_all() const;
  /// \pre  the node has grown
  int owner(int level, Index node) const { return owner_[level][node]; }

  std::span<const Entry> entries() const { return entries_; }
  double cost() const { return cost_; }  ///< sum of F
  Index sum_n() const { return sum_n_; }
  Index sum_N() const { return sum_N_; }

  /// The splits so far, to be replayed.
  const Plan& plan() const { return plan_; }

 private:
  void check_processors(int giver, int receiver) const;
  bool mode_allows(int giver, const LeafSet& leaves) const;
  bool is_subtree(int giver, const LeafSet& leaves) const;
  void take_over(int giver, int receiver, const LeafSet& leaves);
  void grow(const LeafSet& allowed);

  Growth growth_;
  CostModel price_;
  Plan plan_;
  std::vector<LeafSet> parts_;
  std::vector<std::vector<std::int32_t>> owner_;  // by level and node; -1: not grown yet
  std::vector<Entry> entries_;
  double cost_ = 0;
  Index sum_n_ = 0;
  Index sum_N_ = 0;
};

/// Replays `plan` on `tree` to the last stage.
/// \throws IllegalSplit  naming the split by its place in the plan
Ledger replay(const Tree& tree, const Plan& plan, CostModel cost);

}  // namespace cleave::splitting
