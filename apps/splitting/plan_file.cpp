// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/plan_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/json_fields.hpp>

namespace cleave::splitting {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-plan";
constexpr int kVersion = 2;
constexpr Index kMaxLeaves = Index{1} << 31;
constexpr int kMaxProcessors = 1 << 24;

/// Calls `field(name, value, least)` for each field of a cost.
template <class Cost, class Field>
void cost_fields(Cost& cost, Field field) {
  field("a1", cost.a1, 0);
  field("a2", cost.a2, 0);
  field("exponent", cost.exponent, 1);
}

/// Calls `field(name, value, least)` for each field of an entry but its leaves.
template <class EntryOrConst, class Field>
void entry_fields(EntryOrConst& entry, Field field) {
  field("stage", entry.split.stage, 0);
  field("giver", entry.split.giver, 0);
  field("receiver", entry.split.receiver, 0);
  field("n", entry.size.n, 1);
  field("N", entry.size.N, 1);
  field("giver_leaves", entry.size.giver_leaves, 1);
  field("cost", entry.cost, 0);
}

auto write_to(json& object) {
  return [&](const char* name, const auto& value, int) { object[name] = value; };
}

auto read_from(const detail::JsonFields& fields) {
  return [&]<class T>(const char* name, T& value, int least) {
    if constexpr (std::is_integral_v<T>) {
      value = fields.integer<T>(name, least);
    } else if (value = fields.number(name); value < least) {
      fields.refuse(name, fmt::format("must be at least {}, found {}", least, value));
    }
  };
}

json written(const LeafSet& leaves) {
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

json to_json(const Entry& entry) {
  json object;
  entry_fields(entry, write_to(object));
  return object;
}

void write_plan(const std::filesystem::path& path, const Ledger& ledger,
                const CostCoefficients& cost, const detail::Provenance& provenance) {
  const Tree& tree = ledger.growth().tree();
  json splits = json::array();
  for (const Entry& entry : ledger.entries()) {
    splits.push_back(to_json(entry));
    splits.back()["leaves"] = written(entry.split.leaves);
  }
  json price;
  cost_fields(cost, write_to(price));
  const json file = {{"format", kFormat},
                     {"version", kVersion},
                     {"tree", {{"fingerprint", tree.fingerprint()}, {"leaves", tree.leaves()}}},
                     {"processors", ledger.processors()},
                     {"mode", name_of(ledger.mode())},
                     {"cost", price},
                     {"splits", std::move(splits)},
                     {"provenance", detail::to_json(provenance)}};
  write_file(path, file.dump(1) + '\n');
}

RecordedPlan parse_plan(const std::filesystem::path& path, const std::string& text) {
  const json file = detail::parse_json_object(path, "", text);
  const detail::JsonFields fields(path, "", file);
  detail::check_format(fields, kFormat, kVersion);
  const detail::JsonFields tree = fields.object("tree");
  RecordedPlan recorded{.tree_fingerprint = tree.text("fingerprint"),
                        .tree_leaves = tree.integer<Index>("leaves", 1),
                        .processors = fields.integer<int>("processors", 1, kMaxProcessors)};
  const std::string mode = fields.text("mode");
  const std::optional<Mode> known = named<Mode>(kModeNames, mode);
  if (!known) {
    fields.refuse("mode",
                  fmt::format("is '{}', allowed are {}", mode, fmt::join(kModeNames, ", ")));
  }
  recorded.mode = *known;
  const detail::JsonFields cost = fields.object("cost");
  cost_fields(recorded.cost, read_from(cost));
  for (const detail::JsonFields& split : fields.objects("splits")) {
    Entry& entry = recorded.entries.emplace_back();
    entry_fields(entry, read_from(split));
    entry.split.leaves = leaves_from(split, "leaves");
  }
  detail::provenance_from(fields);
  return recorded;
}

Ledger replay_recorded(const std::filesystem::path& path, const Tree& tree,
                       const RecordedPlan& recorded) {
  if (recorded.tree_fingerprint != tree.fingerprint()) {
    throw FileError(path, fmt::format("field 'tree': made for a tree of {} leaves with fingerprint "
                                      "{}, this tree has {} leaves and fingerprint {}",
                                      recorded.tree_leaves, recorded.tree_fingerprint,
                                      tree.leaves(), tree.fingerprint()));
  }
  Plan plan{.processors = recorded.processors, .mode = recorded.mode};
  for (const Entry& entry : recorded.entries) {
    plan.splits.push_back(entry.split);
  }
  try {
    Ledger ledger = replay(tree, plan, recorded.cost.model());
    for (std::size_t i = 0; i < recorded.entries.size(); ++i) {
      const SplitSize& said = recorded.entries[i].size;
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
