// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger/plan_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave::splitting {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-plan";
constexpr Index kMaxLeaves = Index{1} << 31;
constexpr int kMaxProcessors = 1 << 24;

json to_json(const LeafSet& leaves) {
  json runs = json::array();
  for (const LeafRun& run : leaves.runs()) {
    runs.push_back({{"first", run.begin}, {"count", run.size()}});
  }
  return runs;
}

LeafSet leaves_from(const detail::JsonFields& fields, const char* name) {
  std::vector<LeafRun> runs;
  for (const detail::JsonFields& run : fields.objects(name)) {
    const Index first = run.integer<Index>("first", 0, kMaxLeaves);
    runs.push_back({first, first + run.integer<Index>("count", 1, kMaxLeaves)});
  }
  try {
    return LeafSet(std::move(runs));
  } catch (const Error& e) {
    fields.refuse(name, e.what());
  }
}

}  // namespace

CostModel CostCoefficients::model() const {
  return exponent == 1 ? linear_cost(a1, a2) : superlinear_cost(a1, a2, exponent);
}

json to_json(const Entry& entry) {
  return {{"stage", entry.split.stage},
          {"giver", entry.split.giver},
          {"receiver", entry.split.receiver},
          {"n", entry.size.n},
          {"N", entry.size.N},
          {"giver_leaves", entry.size.giver_leaves},
          {"cost", entry.cost}};
}

void write_plan(const std::filesystem::path& path, const Ledger& ledger,
                const CostCoefficients& cost, const detail::Provenance& provenance) {
  json splits = json::array();
  for (const Entry& entry : ledger.entries()) {
    json split = to_json(entry);
    split["leaves"] = to_json(entry.split.leaves);
    splits.push_back(std::move(split));
  }
  json file = {{"format", kFormat},
               {"version", kPlanVersion},
               {"tree",
                {{"fingerprint", ledger.growth().tree().fingerprint()},
                 {"leaves", ledger.growth().tree().leaves()}}},
               {"processors", ledger.processors()},
               {"mode", name_of(ledger.mode())},
               {"cost", {{"a1", cost.a1}, {"a2", cost.a2}, {"exponent", cost.exponent}}},
               {"splits", std::move(splits)},
               {"provenance", detail::to_json(provenance)}};
  if (!ledger.plan().allowed.empty()) {
    json steps = json::array();
    for (const LeafSet& allowed : ledger.plan().allowed) {
      steps.push_back({{"leaves", to_json(allowed)}});
    }
    file["guided"] = std::move(steps);
  }
  write_file(path, file.dump(1) + '\n');
}

RecordedPlan parse_plan(const std::filesystem::path& path, const std::string& text) {
  const json file = detail::parse_json_object(path, "", text);
  const detail::JsonFields fields(path, "", file);
  detail::check_format(fields, kFormat, kPlanVersion);
  RecordedPlan recorded;
  const detail::JsonFields tree = fields.object("tree");
  recorded.tree_fingerprint = tree.text("fingerprint");
  recorded.tree_leaves = tree.integer<Index>("leaves", 1);
  recorded.plan.processors = fields.integer<int>("processors", 1, kMaxProcessors);
  const std::string mode = fields.text("mode");
  const std::optional<Mode> known = mode_named(mode);
  if (!known) {
    fields.refuse("mode",
                  fmt::format("is '{}', allowed are {}", mode, fmt::join(kModeNames, ", ")));
  }
  recorded.plan.mode = *known;
  const detail::JsonFields cost = fields.object("cost");
  recorded.cost = {.a1 = cost.non_negative("a1"),
                   .a2 = cost.non_negative("a2"),
                   .exponent = cost.number("exponent")};
  if (recorded.cost.exponent < 1) {
    cost.refuse("exponent", fmt::format("must be at least 1, found {}", recorded.cost.exponent));
  }
  for (const detail::JsonFields& split : fields.objects("splits")) {
    recorded.plan.splits.push_back({.stage = split.integer<int>("stage", 0),
                                    .giver = split.integer<int>("giver", 0),
                                    .receiver = split.integer<int>("receiver", 0),
                                    .leaves = leaves_from(split, "leaves")});
    recorded.sizes.push_back({.n = split.integer<Index>("n", 1),
                              .N = split.integer<Index>("N", 1),
                              .giver_leaves = split.integer<Index>("giver_leaves", 1)});
  }
  if (fields.has("guided")) {
    for (const detail::JsonFields& step : fields.objects("guided")) {
      recorded.plan.allowed.push_back(leaves_from(step, "leaves"));
    }
  }
  detail::provenance_from(fields);
  return recorded;
}

RecordedPlan read_plan(const std::filesystem::path& path) {
  return parse_plan(path, read_file(path));
}

Ledger replay_recorded(const std::filesystem::path& path, const Tree& tree,
                       const RecordedPlan& recorded) {
  if (recorded.tree_fingerprint != tree.fingerprint()) {
    throw FileError(path, fmt::format("field 'tree': made for a tree of {} leaves with fingerprint "
                                      "{}, this tree has {} leaves and fingerprint {}",
                                      recorded.tree_leaves, recorded.tree_fingerprint,
                                      tree.leaves(), tree.fingerprint()));
  }
  try {
    Ledger ledger = replay(tree, recorded.plan, recorded.cost.model());
    for (std::size_t i = 0; i < recorded.sizes.size(); ++i) {
      const SplitSize& said = recorded.sizes[i];
      const SplitSize& found = ledger.entries()[i].size;
      if (said.n != found.n || said.N != found.N || said.giver_leaves != found.giver_leaves) {
        throw FileError(path, fmt::format("in 'splits[{}]': n, N and giver_leaves are {}, {} and "
                                          "{}, the replay finds {}, {} and {}",
                                          i, said.n, said.N, said.giver_leaves, found.n, found.N,
                                          found.giver_leaves));
      }
    }
    return ledger;
  } catch (const FileError&) {
    throw;
  } catch (const Error& e) {
    throw FileError(path, fmt::format("in 'splits': {}", e.what()));
  }
}

}  // namespace cleave::splitting
