// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/wanted_size.hpp"

#include <fmt/format.h>

#include <cmath>

#include <cleave/error.hpp>

#include "apps/uts/expectation.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

TreeParameters with_expected_size(const TreeParameters& kind, double nodes) {
  TreeParameters parameters = kind;
  if (kind.type == TreeType::balanced) {
    throw UsageError("the size of a balanced tree follows from -b and -d");
  }
  double TreeParameters::*const changed = kind.type == TreeType::binomial
                                              ? &TreeParameters::interior_probability
                                              : &TreeParameters::root_branching;
  // Both raise the size. Beyond a mean of 1 it is infinite, and so are comparisons with it.
  double low = 0;
  double high = kind.type == TreeType::binomial ? 1 : kMaxUtsChildren;
  constexpr int kHalvings = 100;
  for (int i = 0; i < kHalvings; ++i) {
    parameters.*changed = (low + high) / 2;
    (size_moments(parameters).mean < nodes ? low : high) = parameters.*changed;
  }
  parameters.*changed = low;
  const double found = size_moments(parameters).mean;
  constexpr double kClose = 0.01;
  if (!(std::abs(found - nodes) <= kClose * nodes) || low == 0) {
    throw UsageError(
        fmt::format("no tree like {} has an expected size of {}", text_of(kind), nodes));
  }
  return parameters;
}

FoundTree find_tree(const TreeParameters& kind, std::int64_t nodes, double tolerance,
                    ChildIds child_ids) {
  FoundTree found{.parameters = with_expected_size(kind, static_cast<double>(nodes))};
  const double furthest_off = tolerance * static_cast<double>(nodes);
  const auto maximum = static_cast<std::int64_t>(static_cast<double>(nodes) + furthest_off);
  constexpr std::int64_t kMaxTimes = 200;
  for (std::int64_t visited = 0; visited < kMaxTimes * nodes;) {
    const Tree tree(found.parameters);
    ++found.roots_tried;
    const Uts uts{.tree = tree, .child_ids = child_ids};
    detail::SplitDeque<Siblings> stack;
    detail::Visitor<Uts> visitor(uts, stack);
    Incumbent<> none;
    found.counts = {};
    detail::open_first(uts, whole_tree(tree), stack, found.counts);
    while (!stack.private_empty() && found.counts.nodes <= maximum) {
      visitor.visit(kMaxNodesAtOnce, found.counts, none);
    }
    if (std::abs(static_cast<double>(found.counts.nodes - nodes)) <= furthest_off) {
      return found;
    }
    visited += found.counts.nodes;
    ++found.parameters.root.back();
  }
  throw Error(fmt::format("of {} trees like {} none has {} nodes, give or take {} %",
                          found.roots_tried, text_of(found.parameters), nodes, 100 * tolerance));
}

}  // namespace cleave::uts
