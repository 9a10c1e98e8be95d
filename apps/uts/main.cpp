// SPDX-License-Identifier: Apache-2.0
// cleave-uts: counts the nodes of an unbalanced tree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <cleave/command_line/options.hpp>
#include <cleave/program.hpp>

#include "apps/uts/check.hpp"
#include "apps/uts/tree_options.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

namespace {

/// What was typed.
struct Given {
  TreeOptions tree;
  int granularity = 1;
  std::string kernel = "auto";

  void add_to(CLI::App& cli);
  Uts uts() const;
  Figures figures(const TreeCounts& counts) const;
};

void Given::add_to(CLI::App& cli) {
  constexpr std::int64_t kMaxGranularity = 1'000'000'000;
  tree.add_to(cli);
  cli.add_option("-g", granularity, "granularity: how many times each node is hashed")
      ->transform(detail::Count(1, kMaxGranularity));
  cli.add_option("--kernel", kernel,
                 "SHA-1 by openssl, by sha (the processor's SHA extensions), by vectors, or by "
                 "auto, the fastest one that runs here")
      ->check(detail::ParsedBy(parse_kernel));
}

Uts Given::uts() const {
  return {.tree = Tree(tree.parameters()),
          .child_ids = parse_kernel(kernel).child_ids,
          .granularity = granularity};
}

Figures Given::figures(const TreeCounts& counts) const {
  return {{"tree", text_of(tree.parameters())},
          {"kernel", parse_kernel(kernel).name},
          {"nodes", counts.nodes},
          {"leaves", counts.leaves},
          {"max_depth", counts.max_depth},
          {"available_parallelism", available_parallelism(counts)}};
}

void warn_of_endless(const TreeParameters& parameters, RunOptions& options) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  const bool is_limited = std::min(options.max_nodes, options.max_memory_bytes) < kUnlimited;
  if (!Tree(parameters).surely_ends() && !is_limited && !known_counts(parameters)) {
    options.warnings.push_back(
        "q * m is 1 or more, so that the tree may never end; --max-nodes or --max-memory would "
        "stop it");
  }
}

/// Geometric trees of UTS 1.1 with 4 children on average, by depth and seed: each has about twice
/// the nodes of the one before, from 4 million to 490 million. A quick study ends at 66 million.
/// On the hypercube, binomial trees of Prins (2003) of about 16 n nodes, n of them below the
/// root.
Study study_of(const RunOptions& options, bool is_quick) {
  if (options.type == DC_Type::hypercube) {
    Study study{.size_option = "--tree"};
    for (int i = 0; i < 6; ++i) {
      study.sizes.push_back(
          fmt::format("prins:r=0,n={},q=0.234375,m=4", (is_quick ? 5000 : 50000) << i));
    }
    return study;
  }
  Study study{.size_option = "--tree", .rounds = is_quick ? 2 : 3};
  for (const auto& [depth, seed] :
       {std::pair(10, 19), std::pair(10, 7), std::pair(11, 19), std::pair(11, 7), std::pair(12, 19),
        std::pair(12, 7), std::pair(13, 19), std::pair(13, 7)}) {
    study.sizes.push_back(fmt::format("-t 1 -a 3 -b 4 -d {} -r {}", depth, seed));
  }
  study.sizes.resize(is_quick ? 5 : study.sizes.size());
  return study;
}

}  // namespace

}  // namespace cleave::uts

int main(int argc, char** argv) {
  using namespace cleave::uts;
  Given given;
  return cleave::run(
      argc, argv,
      cleave::Program<Uts>{
          .name = "uts",
          .summary = "Counts the nodes of an unbalanced tree.",
          .work = "nodes",
          .add_options = [&](CLI::App& cli) { given.add_to(cli); },
          .check_options =
              [&](cleave::RunOptions& options) {
                warn_of_endless(given.tree.parameters(), options);
              },
          .study = study_of,
          .application = [&](const cleave::RunOptions&) { return given.uts(); },
          .make_problem = [&](const cleave::NamedSizes&,
                              std::uint64_t) { return whole_tree(Tree(given.tree.parameters())); },
          .is_generated = [] { return false; },
          .wrong =
              [&](const Forest&, const TreeCounts& counts) {
                return wrong_counts(given.tree.parameters(), counts);
              },
          .figures = [&](const TreeCounts& counts) { return given.figures(counts); },
      });
}
