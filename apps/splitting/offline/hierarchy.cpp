// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <cleave/error.hpp>

#include "apps/splitting/offline/chain_dp.hpp"
#include "apps/splitting/offline/cuts.hpp"

namespace cleave::splitting {

namespace {

void check_cores(int cores) {
  if (cores < 1) {
    throw Error(fmt::format("{} cores a node, at least 1 is needed", cores));
  }
}

/// By position: tree edges that a single cut there crosses. The nodes above both sides form a path
/// from the root; whoever owns it, the children on the other side hang across.
std::vector<double> crossing_edges(const Tree& tree) {
  std::vector<double> edges(static_cast<std::size_t>(tree.leaves()), 0);
  struct Open {
    Index left = 0;   // children of the path that lie before the node
    Index right = 0;  // and after it
  };
  std::vector<Open> above = {{}};  // by node of the level in work
  for (int level = 0; level < tree.l_max(); ++level) {
    std::vector<Open> below;
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      for (Index i = 0; tree.refined(level, node) && i < tree.children(); ++i) {
        const Index child = tree.first_child(level, node) + i;
        const Open path = above[static_cast<std::size_t>(node)];
        if (i > 0) {
          edges[static_cast<std::size_t>(tree.first_leaf(level + 1, child))] =
              static_cast<double>(std::min(path.left + i, path.right + tree.children() - i));
        }
        below.push_back({path.left + i, path.right + tree.children() - 1 - i});
      }
    }
    above = std::move(below);
  }
  return edges;
}

/// Gives the processors of a plan the numbers of nodes and cores: along the curve, except that node
/// 0 and its core 0 are those of processor 0.
void number_by_node(PricedPlan& priced, const Ledger& ledger, int cores) {
  const int processors = ledger.processors();
  std::vector<int> along_curve(static_cast<std::size_t>(processors));
  std::iota(along_curve.begin(), along_curve.end(), 0);
  std::sort(along_curve.begin(), along_curve.end(),
            [&](int a, int b) { return ledger.part(a).front() < ledger.part(b).front(); });
  const auto first = std::find(along_curve.begin(), along_curve.end(), 0);
  const auto node = along_curve.begin() + (first - along_curve.begin()) / cores * cores;
  std::iter_swap(first, node);
  std::swap_ranges(node, node + cores, along_curve.begin());
  std::vector<int> number(static_cast<std::size_t>(processors));
  for (int i = 0; i < processors; ++i) {
    number[static_cast<std::size_t>(along_curve[static_cast<std::size_t>(i)])] = i;
  }
  for (Split& split : priced.plan.splits) {
    split.giver = number[static_cast<std::size_t>(split.giver)];
    split.receiver = number[static_cast<std::size_t>(split.receiver)];
  }
}

}  // namespace

Index edges_across_nodes(const Ledger& ledger, int cores) {
  check_cores(cores);
  const Tree& tree = ledger.growth().tree();
  Index edges = 0;
  for (int level = 1; level <= tree.l_max(); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      const int below = ledger.owner(level, node);
      const int above = ledger.owner(level - 1, tree.parent(level, node));
      edges += below >= 0 && below / cores != above / cores ? 1 : 0;
    }
  }
  return edges;
}

std::optional<Planned> plan_chains_on_chains(const Problem& problem, LoadWindow window, int cores) {
  check(problem);
  check_cores(cores);
  if (problem.processors % cores != 0) {
    throw Error(
        fmt::format("{} processors are not nodes of {} cores each", problem.processors, cores));
  }
  if (window.minimum < 1) {
    throw Error(
        fmt::format("window from {}, chains on chains take windows from 1 on", window.minimum));
  }
  Problem of_nodes = problem;
  of_nodes.processors = problem.processors / cores;
  const auto between_nodes = chain_cuts_at_prices(
      of_nodes, {.minimum = cores * window.minimum, .maximum = cores * window.maximum},
      crossing_edges(problem.tree));
  if (!between_nodes) {
    return std::nullopt;
  }
  const auto cuts = chain_cuts_through(problem, window, *between_nodes, cores);
  if (!cuts) {
    return std::nullopt;
  }
  PricedPlan priced = plan_of_cuts(problem, *cuts);
  number_by_node(priced, replay(problem.tree, priced.plan, problem.cost), cores);
  return Planned{.plan = std::move(priced.plan),
                 .cost = priced.cost,
                 .window = window,
                 .planner = Planner::two_phase};
}

}  // namespace cleave::splitting
