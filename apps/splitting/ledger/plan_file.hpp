// SPDX-License-Identifier: Apache-2.0
// Plan files (*.plan.json): the splits of a ledger with what each cost, to be replayed on the same
// tree. docs/reference/formats.md, section Plan.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <cleave/trace/provenance.hpp>

#include "apps/splitting/ledger/ledger.hpp"

namespace cleave::splitting {

inline constexpr int kPlanVersion = 2;

/// F = A1 n^e + A2 N^e, the costs that a file can name.
struct CostCoefficients {
  double a1 = 1;
  double a2 = 1;
  double exponent = 1;

  CostModel model() const;  ///< \throws Error  as linear_cost and superlinear_cost
};

/// A plan as read back. `splits[i]` of the plan claims `sizes[i]`.
struct RecordedPlan {
  Plan plan;
  CostCoefficients cost;
  std::string tree_fingerprint;
  Index tree_leaves = 0;
  std::vector<SplitSize> sizes;
};

/// One line of a ledger as plan files and reports have it, without its leaves.
nlohmann::json to_json(const Entry& entry);

/// Writes the ledger's splits, whole or not at all. \throws FileError
void write_plan(const std::filesystem::path& path, const Ledger& ledger,
                const CostCoefficients& cost, const detail::Provenance& provenance);

/// \throws FileError  naming the field
RecordedPlan read_plan(const std::filesystem::path& path);
/// The same of text that is said to come from `path`.
RecordedPlan parse_plan(const std::filesystem::path& path, const std::string& text);

/// Replays a plan that was read from `path`.
/// \throws FileError  if it was made for another tree, a split is illegal, or n or N differ from
/// what
///                    the file says
Ledger replay_recorded(const std::filesystem::path& path, const Tree& tree,
                       const RecordedPlan& recorded);

}  // namespace cleave::splitting
