// SPDX-License-Identifier: Apache-2.0
// cleave-uts-study: what can be known of an unbalanced tree before it is searched, and what makes
// it hard to share out. Runs without mpiexec.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include <cleave/command_line/options.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/sizes.hpp>

#include "apps/uts/estimate.hpp"
#include "apps/uts/subtrees.hpp"
#include "apps/uts/tree_options.hpp"
#include "apps/uts/wanted_size.hpp"

namespace cleave::uts {

namespace {

using Figures = nlohmann::ordered_json;

/// What was typed; each command uses some of it.
struct Options {
  TreeOptions tree;
  std::string kernel = "auto";
  std::int64_t sample = 100'000;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  std::int64_t nodes = 0;
  double tolerance = 0.05;
  bool as_json = false;
  bool quiet = false;

  Uts uts() const {
    return {.tree = Tree(tree.parameters()), .child_ids = parse_kernel(kernel).child_ids};
  }
};

/// JSON has no infinity.
Figures finite_or_null(double value) {
  return std::isfinite(value) ? Figures(value) : Figures(nullptr);
}

Figures subtrees(const Options& o) {
  const Uts uts = o.uts();
  const SearchLimits limits = {.nodes = o.max_nodes};
  const SubtreeShares shares = shares_of(subtree_sizes(uts, limits));
  const TreeCounts counts = search_sequentially(uts, whole_tree(uts.tree), limits);
  return {{"nodes", counts.nodes},
          {"leaves", counts.leaves},
          {"max_depth", counts.max_depth},
          {"available_parallelism", available_parallelism(counts)},
          {"subtrees", shares.count},
          {"single_node_share", shares.single_node},
          {"largest_share", shares.largest},
          {"median_size", shares.median_size},
          {"share_holding_98_percent", shares.holding_98_percent},
          {"by_power_of_ten", shares.by_power_of_ten}};
}

Figures estimate(const Options& o) {
  const SizeEstimate estimate = estimate_size(o.uts(), o.sample);
  return {{"visited", estimate.visited},
          {"waiting", estimate.waiting},
          {"mean", finite_or_null(estimate.mean)},
          {"interval_95", {finite_or_null(estimate.low), finite_or_null(estimate.high)}},
          {"probability_to_end", estimate.probability_to_end}};
}

Figures parameters(const Options& o) {
  const FoundTree found = find_tree(o.tree.parameters(), o.nodes, o.tolerance, o.uts().child_ids);
  return {{"parameters", text_of(found.parameters)},
          {"nodes", found.counts.nodes},
          {"leaves", found.counts.leaves},
          {"max_depth", found.counts.max_depth},
          {"available_parallelism", available_parallelism(found.counts)},
          {"roots_tried", found.roots_tried}};
}

void print(const std::string& tree, const Figures& figures, const Options& o) {
  Figures all = {{"tree", tree}};
  all.update(figures);
  std::string text;
  if (o.as_json) {
    text = all.dump() + "\n";
  } else if (!o.quiet) {
    text = detail::figures_text(all);
  }
  detail::write_out(text);
}

constexpr const char* kExamples =
    "Examples:\n"
    "  cleave-uts-study subtrees --tree prins:T3\n"
    "  cleave-uts-study estimate -t 0 -b 2000 -q 0.124875 -m 8 -r 42 --json\n"
    "  cleave-uts-study parameters -t 1 -b 4 -d 10 --size N=5M";

void add_common(CLI::App& command, Options& o) {
  o.tree.add_to(command);
  command.add_option("--kernel", o.kernel, "SHA-1 by auto, openssl, sha or vectors")
      ->check(detail::ParsedBy(parse_kernel))
      ->capture_default_str();
  command.add_flag("--json", o.as_json, "one JSON object on one line");
  command.add_flag("--quiet", o.quiet, "errors only");
  command.footer(kExamples);
}

void run(int argc, char** argv) {
  Options o;
  CLI::App app("What can be known of an unbalanced tree before it is searched.",
               "cleave-uts-study");
  app.require_subcommand(1);
  app.footer(kExamples);
  CLI::App& shares = *app.add_subcommand(
      "subtrees", "how the nodes are distributed over the subtrees below the root");
  CLI::App& estimates =
      *app.add_subcommand("estimate", "the number of nodes, from visiting some of them");
  CLI::App& finds =
      *app.add_subcommand("parameters", "a tree like the one given with a number of nodes");
  for (CLI::App* command : {&shares, &estimates, &finds}) {
    add_common(*command, o);
  }
  shares.add_option("--max-nodes", o.max_nodes, "fail once more than this are counted")
      ->transform(detail::Count());
  estimates.add_option("--sample", o.sample, "nodes that are visited")
      ->transform(detail::Count())
      ->capture_default_str();
  std::string size;
  finds.add_option("--size", size, "N=5M: nodes that are wanted")
      ->check(detail::ParsedBy([&o](const std::string& text) {
        const NamedSizes sizes = parse_sizes(text);
        if (sizes.size() > 1 || !sizes.contains("N")) {
          throw UsageError(fmt::format("'{}' is not a size of this program: N", text));
        }
        o.nodes = sizes.at("N");
      }))
      ->required();
  finds.add_option("--tolerance", o.tolerance, "part of the size that it may be off")
      ->transform(detail::Number(0, 1))
      ->capture_default_str();
  if (!detail::parse_command_line(app, argc, argv)) {
    return;
  }
  const std::string tree = text_of(o.tree.parameters());
  if (shares.parsed()) {
    print(tree, subtrees(o), o);
  } else if (estimates.parsed()) {
    print(tree, estimate(o), o);
  } else {
    print(tree, parameters(o), o);
  }
}

}  // namespace

}  // namespace cleave::uts

int main(int argc, char** argv) {
  return cleave::detail::run_alone("cleave-uts-study", [&] { cleave::uts::run(argc, argv); });
}
