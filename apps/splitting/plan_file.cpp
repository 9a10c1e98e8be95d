// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/plan_file.hpp"

#include <fmt/format.h>

#include <cleave/error.hpp>

namespace cleave::splitting {

using detail::JsonFields;

namespace {

constexpr Index kMaxLeaves = Index{1} << 31;
constexpr int kMaxProcessors = 1 << 24;

}  // namespace

void fields(JsonFields& object, LeafRun& run) {
  Index count = run.size();
  object("first", run.begin, 0, kMaxLeaves)("count", count, 1, kMaxLeaves);
  run.end = run.begin + count;
}

void fields(JsonFields& object, CostCoefficients& cost) {
  object("a1", cost.a1, 0)("a2", cost.a2, 0)("exponent", cost.exponent, 1);
}

void figures(JsonFields& object, Entry& entry) {
  object("stage", entry.split.stage, 0)("giver", entry.split.giver, 0);
  object("receiver", entry.split.receiver, 0)("n", entry.size.n, 1)("N", entry.size.N, 1);
  object("giver_leaves", entry.size.giver_leaves, 1)("cost", entry.cost, 0);
}

void fields(JsonFields& object, Entry& entry) {
  figures(object, entry);
  std::vector<LeafRun> runs = entry.split.leaves.runs();
  object("leaves", runs);
  try {
    entry.split.leaves = LeafSet(std::move(runs));
  } catch (const Error& e) {
    object.refuse("leaves", e.what());
  }
}

void fields(JsonFields& object, PlanFile& plan) {
  object.format("cleave-plan", 2);
  object("tree", [&](JsonFields& tree) {
    tree("fingerprint", plan.tree_fingerprint)("leaves", plan.tree_leaves, 1);
  });
  object("processors", plan.processors, 1, kMaxProcessors).choice("mode", plan.mode, kModeNames);
  object("cost", plan.cost)("splits", plan.entries)("provenance", plan.provenance);
}

PlanFile::PlanFile(const Ledger& ledger, const CostCoefficients& price, detail::Provenance made)
    : tree_fingerprint(ledger.growth().tree().fingerprint()),
      tree_leaves(ledger.growth().tree().leaves()),
      processors(ledger.processors()),
      mode(ledger.mode()),
      cost(price),
      entries(ledger.entries().begin(), ledger.entries().end()),
      provenance(std::move(made)) {}

Ledger replay(const std::string& path, const Tree& tree, const PlanFile& plan) {
  if (plan.tree_fingerprint != tree.fingerprint()) {
    throw FileError(path, fmt::format("field 'tree': made for a tree of {} leaves with fingerprint "
                                      "{}, this tree has {} leaves and fingerprint {}",
                                      plan.tree_leaves, plan.tree_fingerprint, tree.leaves(),
                                      tree.fingerprint()));
  }
  Plan splits{.processors = plan.processors, .mode = plan.mode};
  for (const Entry& entry : plan.entries) {
    splits.splits.push_back(entry.split);
  }
  try {
    Ledger ledger = replay(tree, splits, plan.cost.model());
    for (std::size_t i = 0; i < plan.entries.size(); ++i) {
      const SplitSize& said = plan.entries[i].size;
      const SplitSize& found = ledger.entries()[i].size;
      if (said != found) {
        throw Error(fmt::format(
            "split {}: n, N and giver_leaves are {}, {} and {}, the replay finds {}, {} and {}", i,
            said.n, said.N, said.giver_leaves, found.n, found.N, found.giver_leaves));
      }
    }
    return ledger;
  } catch (const Error& e) {
    throw FileError(path, fmt::format("in 'splits': {}", e.what()));
  }
}

}  // namespace cleave::splitting
