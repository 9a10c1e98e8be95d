// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::splitting {

CostModel CostCoefficients::model() const {
  const auto check = [](const char* name, double value, double minimum) {
    if (!std::isfinite(value) || value < minimum) {
      throw Error(fmt::format("cost coefficient {} is {}, it must be at least {} and finite", name,
                              value, minimum));
    }
  };
  check("A1", a1, 0);
  check("A2", a2, 0);
  check("exponent", exponent, 1);
  const auto price = [c = *this](const SplitSize& size) {
    const auto n = static_cast<double>(size.n);
    const auto N = static_cast<double>(size.N);
    return c.exponent == 1 ? c.a1 * n + c.a2 * N
                           : c.a1 * std::pow(n, c.exponent) + c.a2 * std::pow(N, c.exponent);
  };
  return {.price = price, .depends_on_n = a1 > 0};
}

Ledger::Ledger(const Tree& tree, int processors, Mode mode, CostModel cost)
    : growth_(tree), price_(std::move(cost)) {
  if (processors < 1) {
    throw Error(fmt::format("{} processors, at least 1 is needed", processors));
  }
  plan_.processors = processors;
  plan_.mode = mode;
  parts_.resize(static_cast<std::size_t>(processors));
  parts_[0] = LeafSet(LeafRun{0, 1});
  for (int level = 0; level <= tree.l_max(); ++level) {
    owner_.emplace_back(static_cast<std::size_t>(tree.nodes_of_level(level)), -1);
  }
  owner_[0][0] = 0;
}

void Ledger::advance() {
  const Growth before = growth_;
  growth_.advance();
  const Tree& tree = growth_.tree();
  for (Index leaf = 0; leaf < growth_.leaves(); ++leaf) {
    const int level = growth_.level(leaf);
    auto& owner = owner_[level][growth_.node(leaf)];
    if (owner < 0) {
      owner = owner_[level - 1][tree.parent(level, growth_.node(leaf))];
    }
  }
  for (LeafSet& part : parts_) {
    std::vector<LeafRun> runs = part.runs();
    for (LeafRun& run : runs) {
      run = {growth_.leaf_at(before.first_final(run.begin)),
             growth_.leaf_at(before.first_final(run.end))};
    }
    part = LeafSet(std::move(runs));
  }
}

void Ledger::split(int giver, int receiver, Index n, Side side) {
  check_processors(giver, receiver);
  LeafSet rest = parts_[giver];
  if (n < 1 || n >= rest.size()) {
    throw Error(fmt::format("{} leaves of processor {} would move, allowed are 1 to {}", n, giver,
                            rest.size() - 1));
  }
  split(giver, receiver, rest.take(n, side));
}

void Ledger::split(int giver, int receiver, const LeafSet& leaves) {
  check_processors(giver, receiver);
  if (leaves.empty()) {
    throw Error("no leaves would move, at least 1 must");
  }
  const LeafSet& part = parts_[giver];
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("processor {} would give {} leaves from leaf {} on, {}", giver,
                            leaves.size(), leaves.front(), why));
  };
  if (!part.contains_all(leaves)) {
    refuse("but does not own all of them");
  }
  if (leaves.size() == part.size()) {
    refuse("but 1 of its leaves must stay");
  }
  if (!mode_allows(giver, leaves)) {
    refuse(fmt::format("which mode {} does not allow", name_of(plan_.mode)));
  }
  Entry entry{.split = {growth_.stage(), giver, receiver, leaves},
              .size = {.n = leaves.size(), .N = growth_.leaves(), .giver_leaves = part.size()}};
  entry.cost = price_(entry.size);
  if (!std::isfinite(entry.cost) || entry.cost < 0) {
    refuse(fmt::format("which costs {}, it must be at least 0 and finite", entry.cost));
  }
  take_over(giver, receiver, leaves);
  cost_ += entry.cost;
  sum_n_ += entry.size.n;
  sum_N_ += entry.size.N;
  plan_.splits.push_back(entry.split);
  entries_.push_back(std::move(entry));
}

std::vector<Index> Ledger::leaves_of_all() const {
  std::vector<Index> leaves;
  leaves.reserve(parts_.size());
  for (const LeafSet& part : parts_) {
    leaves.push_back(part.size());
  }
  return leaves;
}

void Ledger::check_processors(int giver, int receiver) const {
  for (const int processor : {giver, receiver}) {
    if (processor < 0 || processor >= processors()) {
      throw Error(fmt::format("processor {} does not exist, there are {} from 0 on", processor,
                              processors()));
    }
  }
  if (!parts_[receiver].empty()) {
    throw Error(fmt::format("processor {} would receive leaves, but owns {} already", receiver,
                            parts_[receiver].size()));
  }
}

bool Ledger::mode_allows(int giver, const LeafSet& leaves) const {
  const LeafSet& part = parts_[giver];
  const Index between = part.count_in({leaves.front(), leaves.back() + 1});
  const bool consecutive = between == leaves.size();
  switch (plan_.mode) {
    case Mode::sfc:
      return consecutive && (leaves.front() == part.front() || leaves.back() == part.back());
    case Mode::any:
      return true;
    case Mode::run:
      return consecutive;
    case Mode::subtree:
      return consecutive && is_subtree(giver, leaves);
    case Mode::parent_owned:
      break;
  }
  return std::all_of(leaves.runs().begin(), leaves.runs().end(), [&](LeafRun run) {
    for (Index leaf = run.begin; leaf < run.end; ++leaf) {
      const int level = growth_.level(leaf);
      const Index parent = growth_.tree().parent(level, growth_.node(leaf));
      if (owner_[level - 1][parent] != giver) {
        return false;
      }
    }
    return true;
  });
}

bool Ledger::is_subtree(int giver, const LeafSet& leaves) const {
  const Tree& tree = growth_.tree();
  int level = growth_.level(leaves.front());
  Index node = growth_.node(leaves.front());
  const auto end = [&] { return tree.first_leaf(level, node) + tree.leaves_below(level, node); };
  const Index last_final = growth_.first_final(leaves.back());
  while (end() <= last_final) {  // climb to the lowest node above all of `leaves`
    node = tree.parent(level, node);
    --level;
  }
  const LeafRun below{growth_.leaf_at(tree.first_leaf(level, node)), growth_.leaf_at(end())};
  return parts_[giver].count_in(below) == leaves.size();
}

void Ledger::take_over(int giver, int receiver, const LeafSet& leaves) {
  const Tree& tree = growth_.tree();
  int deepest = 0;
  std::vector<std::vector<Index>> left(owner_.size());  // by level: nodes that left, for parents
  for (const LeafRun& run : leaves.runs()) {
    for (Index leaf = run.begin; leaf < run.end; ++leaf) {
      const int level = growth_.level(leaf);
      owner_[level][growth_.node(leaf)] = receiver;
      left[level].push_back(growth_.node(leaf));
      deepest = std::max(deepest, level);
    }
  }
  for (int level = deepest; level > 1; --level) {
    std::sort(left[level].begin(), left[level].end());
    Index known = -1;
    for (const Index node : left[level]) {
      const Index parent = tree.parent(level, node);
      if (parent == known) {
        continue;
      }
      known = parent;
      const auto child = owner_[level].begin() + tree.first_child(level - 1, parent);
      const bool all_left = std::all_of(child, child + tree.children(),
                                        [&](std::int32_t owner) { return owner == receiver; });
      const int above = owner_[level - 2][tree.parent(level - 1, parent)];
      if (all_left && above == giver && owner_[level - 1][parent] == giver) {
        owner_[level - 1][parent] = receiver;
        left[level - 1].push_back(parent);
      }
    }
  }
  parts_[giver].remove(leaves);
  parts_[receiver] = leaves;
}

Ledger replay(const Tree& tree, const Plan& plan, CostModel cost) {
  Ledger ledger(tree, plan.processors, plan.mode, std::move(cost));
  const auto advance_to = [&](int stage) {
    while (ledger.growth().stage() < stage) {
      ledger.advance();
    }
  };
  for (std::size_t i = 0; i < plan.splits.size(); ++i) {
    const Split& split = plan.splits[i];
    const int stage = ledger.growth().stage();
    if (split.stage < stage || split.stage > tree.l_max()) {
      throw Error(fmt::format("split {} is at stage {}, allowed are {} to {}", i, split.stage,
                              stage, tree.l_max()));
    }
    advance_to(split.stage);
    try {
      ledger.split(split.giver, split.receiver, split.leaves);
    } catch (const Error& e) {
      throw Error(fmt::format("split {}: {}", i, e.what()));
    }
  }
  advance_to(tree.l_max());
  return ledger;
}

Balance balance(const std::vector<Index>& leaves) {
  const auto [minimum, maximum] = std::ranges::minmax(leaves);
  const Index total = std::accumulate(leaves.begin(), leaves.end(), Index{0});
  return {.minimum = static_cast<double>(minimum),
          .maximum = static_cast<double>(maximum),
          .mean = static_cast<double>(total) / static_cast<double>(leaves.size())};
}

}  // namespace cleave::splitting
