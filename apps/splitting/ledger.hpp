// SPDX-License-Identifier: Apache-2.0
// The ledger of a growing tree: who owns which node, what every split cost, and how even the
// division is. It is the only place that checks whether a split is legal and that charges for it;
// planners, policies and files all go through it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/splitting/tree.hpp"

namespace cleave::splitting {

/// Which n leaves of a giver may move in one split.
enum class Mode : std::uint8_t {
  sfc,           ///< a prefix or suffix of the giver's leaves along the curve
  any,           ///< any of the giver's leaves
  run,           ///< consecutive leaves of the giver's, along the curve
  subtree,       ///< all the giver's leaves at or below one node
  parent_owned,  ///< any leaves whose parents the giver owns
};

inline constexpr std::array<std::string_view, 5> kModeNames = {"sfc", "any", "run", "subtree",
                                                               "parent_owned"};

constexpr std::string_view name_of(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

/// The place of `name` in a table of an enum's names, as that enum.
template <class Enum, class Names>
constexpr std::optional<Enum> named(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

/// The arguments of F, the cost of one split.
struct SplitSize {
  Index n = 0;             ///< leaves moved
  Index N = 0;             ///< leaves of the whole current tree
  Index giver_leaves = 0;  ///< leaves of the giver before the split, n < giver_leaves

  friend bool operator==(const SplitSize&, const SplitSize&) = default;
};

/// A price for a split, finite and at least 0 (the ledger checks it), that does not fall when n
/// rises: planners give away the smaller side of a cut.
struct CostModel {
  std::function<double(const SplitSize&)> price;
  bool depends_on_n = true;  ///< false: the price is a function of N alone, which plans faster

  double operator()(const SplitSize& size) const { return price(size); }
};

/// F = A1 n^e + A2 N^e.
struct CostCoefficients {
  double a1 = 1;
  double a2 = 1;
  double exponent = 1;

  /// \throws Error  unless A1 and A2 are at least 0, e at least 1 and all finite
  CostModel model() const;
};

inline CostModel linear_cost(double a1, double a2) {
  return CostCoefficients{.a1 = a1, .a2 = a2}.model();
}

/// The page's split(p_i, p_j, n, N): at `stage`, `giver` hands `leaves` to the empty `receiver`.
struct Split {
  int stage = 0;
  int giver = 0;
  int receiver = 0;
  LeafSet leaves;  ///< positions on the curve among the leaves of that stage

  friend bool operator==(const Split&, const Split&) = default;
};

/// The splits of one tree, in order. Planners make plans, a ledger replays and records them.
struct Plan {
  int processors = 1;
  Mode mode = Mode::sfc;
  std::vector<Split> splits;  ///< stages do not fall

  friend bool operator==(const Plan&, const Plan&) = default;
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

  /// Moves `leaves` (positions among the current leaves) from `giver` to the empty `receiver`.
  /// Interior nodes follow when all their children left with this split and the giver owns their
  /// parent. Cost: O(n + runs of the giver).
  /// \throws Error  saying why it is illegal; nothing has then changed
  void split(int giver, int receiver, const LeafSet& leaves);

  /// The giver's first or last n leaves: `divide` on its part.
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
/// \throws Error  naming the illegal split by its place in the plan
Ledger replay(const Tree& tree, const Plan& plan, CostModel cost);

/// How evenly a load is spread over all processors; empty ones count 0.
struct Balance {
  double minimum = 0;
  double maximum = 0;
  double mean = 0;

  double imbalance() const { return maximum - minimum; }
  double max_over_mean() const { return mean > 0 ? maximum / mean : 1; }
};

/// \pre  one count a processor, at least one
Balance balance(const std::vector<Index>& leaves);

/// C1 and C2 of the page's quality score w = C2 * SplitCost + C1 * Imbalance.
struct ScoreWeights {
  double c1 = 1;
  double c2 = 1;
};

/// w. The smaller, the better; alone it is degenerate: with A1 = A2 = C1 = C2 = 1 and three
/// processors, never splitting wins on the page's own tree. Read it beside max/mean.
inline double score(const ScoreWeights& weights, double split_cost, const Balance& balance) {
  return weights.c2 * split_cost + weights.c1 * balance.imbalance();
}

}  // namespace cleave::splitting
