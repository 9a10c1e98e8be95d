// SPDX-License-Identifier: Apache-2.0
// The options of cleave-spacetree, and what they name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "skeleton/splitting/ledger/mode.hpp"
#include "skeleton/splitting/ledger/plan_file.hpp"
#include "skeleton/splitting/ledger/score.hpp"
#include "skeleton/splitting/offline/planner.hpp"
#include "skeleton/splitting/tree/curve.hpp"

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

/// \throws UsageError  naming the option, its value and what is allowed; as the three below
void check_options(const Options& options);
Curve curve_of(const Options& options, const Tree& tree);
Mode mode_of(const Options& options);
Planner planner_of(const Options& options);

void add_common(CLI::App& command, Options& options);
void add_cost(CLI::App& command, Options& options);
void add_report(CLI::App& command, Options& options);

}  // namespace cleave::spacetree
