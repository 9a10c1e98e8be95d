// SPDX-License-Identifier: Apache-2.0
// A tree ready to be traversed: how many children a node has, decided by integers.
//
// The definitions compare a node's random value u in [0, 1) with a probability, or take logarithms
// of it. Every such number of children is a step function of the value's 31 or 32 bits. Its steps,
// found once by bisection on the definition, decide it exactly and at the cost of a comparison.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "apps/uts/node.hpp"
#include "apps/uts/parameters.hpp"

namespace cleave::uts {

/// `children` if the value is less than `below`, else none.
struct BinomialRule {
  std::uint32_t mask = 0;
  std::uint64_t below = 0;
  std::uint32_t children = 0;

  std::uint32_t operator()(std::uint32_t word) const {
    return (word & mask) < below ? children : 0;
  }
};

/// The rule below the root of Prins 2003: `children` with probability `q`.
BinomialRule prins_rule(double q, std::uint32_t children);

/// The number of steps up to the value, of 31 bits.
class GeometricRule {
 public:
  /// \param steps  the least value with at least 1, 2, ... children, rising, at most
  ///               kMaxUtsChildren of them, each less than 2^31
  explicit GeometricRule(const std::vector<std::uint32_t>& steps);

  std::uint32_t operator()(std::uint32_t word) const {
    const std::uint32_t value = word & 0x7fffffff;
    std::uint32_t children = at_min_[value >> kBucketShift];
    while (value >= steps_[children]) {
      ++children;
    }
    return children;
  }

 private:
  static constexpr int kBucketShift = 23;

  std::array<std::uint8_t, 256> at_min_{};                  ///< by the value's first 8 bits
  std::array<std::uint32_t, kMaxUtsChildren + 1> steps_{};  ///< ends with a value of 32 bits
};

using ChildRule = std::variant<BinomialRule, GeometricRule>;

/// The mean number of children of a geometric node at `depth`, before it is limited.
double mean_children(const TreeParameters& parameters, std::uint32_t depth);

/// The depth from which on all nodes of a tree are alike: binomial, or without children; of the
/// shape EXPDEC, which never comes to it, the greatest number.
std::uint32_t alike_from(const TreeParameters& parameters);

/// By the definition, in real numbers: how many children a node below the root of UTS 1.1 of this
/// depth has whose value is `value`, if it is geometric there. \pre value < 2^31
std::uint32_t geometric_children(const TreeParameters& parameters, std::uint32_t depth,
                                 std::uint32_t value);

class Tree {
 public:
  /// \throws UsageError  if the definition has no meaning for the parameters
  explicit Tree(const TreeParameters& parameters);

  const TreeParameters& parameters() const { return parameters_; }
  const NodeId& root_id() const { return root_id_; }
  std::uint32_t root_children() const { return root_children_; }

  /// Whether the expected number of nodes is finite: no binomial nodes, or q m < 1.
  bool surely_ends() const;

  /// The rule of all nodes at `depth`; none where it is not tabulated, and `children` takes
  /// logarithms. \pre depth >= 1
  const ChildRule* rule(std::uint32_t depth) const {
    if (depth >= alike_from_) {
      return &rule_below_;
    }
    return depth < rules_above_.size() ? &rules_above_[depth] : nullptr;
  }

  /// \pre depth >= 1
  std::uint32_t children(const NodeId& id, std::uint32_t depth) const;

 private:
  TreeParameters parameters_;
  std::uint32_t alike_from_ = 0;        ///< the depth from which on `rule_below_` holds
  std::vector<ChildRule> rules_above_;  ///< by depth
  ChildRule rule_below_;
  NodeId root_id_{};
  std::uint32_t root_children_ = 0;
};

}  // namespace cleave::uts
