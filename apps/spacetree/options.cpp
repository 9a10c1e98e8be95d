// SPDX-License-Identifier: Apache-2.0
#include "apps/spacetree/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include <cleave/error.hpp>

#include "apps/spacetree/tree_source.hpp"

namespace cleave::spacetree {

namespace {

constexpr int kMaxProcessors = 1 << 20;

}  // namespace

void check_options(const Options& o) {
  if (o.processors < 1 || o.processors > kMaxProcessors) {
    throw UsageError(
        fmt::format("--processors is {}, it must be from 1 to {}", o.processors, kMaxProcessors));
  }
  const auto check = [](const char* name, double value, double minimum) {
    if (!std::isfinite(value) || value < minimum) {
      throw UsageError(fmt::format("{} is {}, it must be at least {}", name, value, minimum));
    }
  };
  check("--a1", o.cost.a1, 0);
  check("--a2", o.cost.a2, 0);
  check("--exponent", o.cost.exponent, 1);
  check("--window", o.window, 0);
  check("--c1", o.score.c1, 0);
  check("--c2", o.score.c2, 0);
  check("--c3", o.score.c3, 0);
  if (o.cores < 0) {
    throw UsageError(fmt::format("--cores is {}, it must be at least 0", o.cores));
  }
}

Curve curve_of(const Options& o, const Tree& tree) {
  if (o.curve.empty()) {
    return Curve(tree.shape(), usual_curve(tree.shape()));
  }
  const auto kind = curve_named(o.curve);
  if (!kind) {
    throw UsageError(
        fmt::format("--curve is '{}', allowed are {}", o.curve, fmt::join(kCurveNames, ", ")));
  }
  return Curve(tree.shape(), *kind);
}

Mode mode_of(const Options& o) {
  const auto mode = mode_named(o.mode);
  if (!mode) {
    throw UsageError(
        fmt::format("--mode is '{}', allowed are {}", o.mode, fmt::join(kModeNames, ", ")));
  }
  return *mode;
}

Planner planner_of(const Options& o) {
  const auto planner = planner_named(o.planner);
  if (!planner) {
    throw UsageError(fmt::format("--planner is '{}', allowed are {}", o.planner,
                                 fmt::join(kPlannerNames, ", ")));
  }
  return *planner;
}

void add_common(CLI::App& command, Options& o) {
  command.add_option("--tree", o.tree, tree_source_help())->required();
  command.add_flag("--json", o.as_json, "one JSON object on one line");
  command.add_flag("--quiet", o.quiet, "errors only");
}

void add_cost(CLI::App& command, Options& o) {
  command.add_option("--a1", o.cost.a1, "F = A1 n^e + A2 N^e: A1, default 1");
  command.add_option("--a2", o.cost.a2, "A2, default 1");
  command.add_option("--exponent", o.cost.exponent, "e, default 1");
}

void add_report(CLI::App& command, Options& o) {
  command.add_option("--c1", o.score.c1, "score = C2 cost + C1 imbalance: C1, default 1");
  command.add_option("--c2", o.score.c2, "C2, default 1");
  command.add_option("--c3", o.score.c3, "C3, weight of the surface in the imbalance, default 0");
  command.add_option("--cores", o.cores, "processors that share a node");
  command.add_option("--curve", o.curve, "hilbert, peano or morton");
  command.add_option("--pictures", o.pictures, "write PREFIX-stage-S.svg for every stage");
  command.add_option("--out", o.out, "write the splits as a plan file");
}

}  // namespace cleave::spacetree
