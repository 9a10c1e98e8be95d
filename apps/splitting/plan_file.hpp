// SPDX-License-Identifier: Apache-2.0
// Plan files (*.plan.json): the splits of a ledger with what each cost, to be replayed on the same
// tree. docs/reference/formats.md, section Plan.
#pragma once

#include <string>
#include <vector>

#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>

#include "apps/splitting/ledger.hpp"

namespace cleave::splitting {

struct PlanFile {
  PlanFile() = default;
  PlanFile(const Ledger& ledger, const CostCoefficients& price, detail::Provenance made);

  std::string tree_fingerprint;
  Index tree_leaves = 0;
  int processors = 1;
  Mode mode = Mode::sfc;
  CostCoefficients cost;
  std::vector<Entry> entries;
  detail::Provenance provenance;
};

/// The fields of a plan file, for `json_text` and `JsonFields::parse`.
void fields(detail::JsonFields& object, PlanFile& plan);

/// The fields of a ledger's line as reports have them, without its leaves.
void figures(detail::JsonFields& object, Entry& entry);

/// Replays a plan that was read from `path`.
/// \throws FileError  if it was made for another tree, a split is illegal, or n or N differ from
/// what the file says
Ledger replay(const std::string& path, const Tree& tree, const PlanFile& plan);

}  // namespace cleave::splitting
