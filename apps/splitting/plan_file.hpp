// SPDX-License-Identifier: Apache-2.0
// Plan files (*.plan.json): the splits of a ledger with what each cost, to be replayed on the same
// tree. docs/reference/formats.md, section Plan.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <cleave/trace/provenance.hpp>

#include "apps/splitting/ledger.hpp"

namespace cleave::splitting {

/// A plan as read back.
struct RecordedPlan {
  std::string tree_fingerprint;
  Index tree_leaves = 0;
  int processors = 1;
  Mode mode = Mode::sfc;
  CostCoefficients cost;
  std::vector<Entry> entries;
};

/// One line of a ledger as plan files and reports have it, without its leaves.
nlohmann::json to_json(const Entry& entry);

/// Writes the ledger's splits, whole or not at all. \throws FileError
void write_plan(const std::filesystem::path& path, const Ledger& ledger,
                const CostCoefficients& cost, const detail::Provenance& provenance);

/// The plan file's `text`. \throws FileError  naming `path` and the field
RecordedPlan parse_plan(const std::filesystem::path& path, const std::string& text);

/// Replays a plan that was read from `path`.
/// \throws FileError  if it was made for another tree, a split is illegal, or n or N differ from
/// what the file says
Ledger replay_recorded(const std::filesystem::path& path, const Tree& tree,
                       const RecordedPlan& recorded);

}  // namespace cleave::splitting
