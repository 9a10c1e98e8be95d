// SPDX-License-Identifier: Apache-2.0
// The options of cleave-spacetree, and what they name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/splitting/ledger/mode.hpp"
#include "apps/splitting/ledger/plan_file.hpp"
#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/tree/curve.hpp"

namespace cleave::spacetree {

using namespace cleave::splitting;

/// What was typed; each command uses some of it.
struct Options {
  std::string tree;
  int processors = 1;
  std::string mode = "sfc";
  std::string planner = "automatic";
  std::string policy = "ahead";
  std::string curve;
  CostCoefficients cost;
  ScoreWeights score;
  double window = 0;
  int cores = 0;
  bool as_json = false;
  bool quiet = false;
  bool front = false;
  bool guided = false;
  std::string plan_file;
  std::string out;
  std::string pictures;
  std::string front_picture;
  std::string command_line;
};

/// A check that a value is one of `names`.
template <class Names>
CLI::IsMember one_of(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(names.begin(), names.end()));
}

/// \throws UsageError  naming the option, its value and what is allowed
void check_options(const Options& options);
/// The one that was named, or the usual one of such a tree.
Curve curve_of(const Options& options, const Tree& tree);

void add_common(CLI::App& command, Options& options);
void add_cost(CLI::App& command, Options& options);
void add_report(CLI::App& command, Options& options);

}  // namespace cleave::spacetree
