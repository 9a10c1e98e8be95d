// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/options.hpp"

#include <fmt/format.h>

#include <cmath>

#include <cleave/error.hpp>

#include "apps/splitting/tree_source.hpp"

namespace cleave::spacetree {

void check_options(const Options& o) {
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
}

Curve curve_of(const Options& o, const Tree& tree) {
  return {tree.shape(), curve_named(o.curve).value_or(usual_curve(tree.shape()))};
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
  command.add_option("--cores", o.cores, "processors that share a node")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--curve", o.curve, "hilbert, peano or morton")->check(one_of(kCurveNames));
  command.add_option("--pictures", o.pictures, "write PREFIX-stage-S.svg for every stage");
  command.add_option("--out", o.out, "write the splits as a plan file");
}

}  // namespace cleave::spacetree
