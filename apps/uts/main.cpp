// SPDX-License-Identifier: Apache-2.0
// cleave-uts: counts the nodes of an unbalanced tree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/program.hpp>

#include "apps/uts/check.hpp"
#include "apps/uts/parameters.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

namespace {

constexpr const char* kDefaultTree = "prins:T3";

/// The option letters of UTS 1.1 and what they mean, with its defaults.
const std::map<char, const char*> kLetters = {
    {'t', "UTS 1.1: type of tree: 0 BIN, 1 GEO, 2 HYBRID, 3 BALANCED (1)"},
    {'b', "branching factor of the root (4)"},
    {'r', "seed of the root (0)"},
    {'q', "BIN: probability of an interior node (0.234375)"},
    {'m', "BIN: children of an interior node (4)"},
    {'a', "GEO: shape: 0 LINEAR, 1 EXPDEC, 2 CYCLIC, 3 FIXED (0)"},
    {'d', "GEO, BALANCED: depth parameter (6)"},
    {'f', "HYBRID: the fraction of the depth parameter from which on nodes are BIN (0.5)"}};

/// The typed options. The letters change what `--tree` names or, without it, the defaults of
/// UTS 1.1.
struct Given {
  std::optional<TreeParameters> tree;
  std::map<char, std::string> letters;
  int granularity = 1;
  std::string kernel = "auto";

  void add_to(CLI::App& cli);
  /// \throws UsageError  if what was given does not go together
  TreeParameters parameters() const;
  Uts uts() const;
  Figures figures(const TreeCounts& counts) const;
};

void Given::add_to(CLI::App& cli) {
  constexpr std::int64_t kMaxGranularity = 1'000'000'000;
  cli.add_option_function<std::string>(
         "--tree", [this](const std::string& text) { tree = parse_tree(text); },
         "T1, T3L ... of UTS 1.1; prins:T1, prins:T2, prins:T3 or "
         "prins:r=0x101,n=3200,q=0.234375,m=4")
      ->check(detail::ParsedBy(parse_tree))
      ->default_str(kDefaultTree);
  for (const auto& [letter, meaning] : kLetters) {
    cli.add_option_function<std::string>(
           fmt::format("-{}", letter),
           [this, letter = letter](const std::string& text) { letters[letter] = text; }, meaning)
        ->check(detail::ParsedBy([letter = letter](const std::string& text) {
          TreeParameters checked;
          set_by_letter(checked, letter, text);
        }));
  }
  cli.add_option("-g", granularity, "granularity: how many times each node is hashed")
      ->transform(detail::Count(1, kMaxGranularity));
  cli.add_option("--kernel", kernel,
                 "SHA-1 by openssl, by sha (the processor's SHA extensions), by vectors, or by "
                 "auto, the fastest one that runs here")
      ->check(detail::ParsedBy(parse_kernel));
}

TreeParameters Given::parameters() const {
  if (letters.empty()) {
    return tree.value_or(parse_tree(kDefaultTree));
  }
  TreeParameters parameters = tree.value_or(TreeParameters{});
  if (parameters.is_prins) {
    throw UsageError(
        fmt::format("-{} describes a tree of UTS 1.1, it does not go with --tree prins:...",
                    letters.begin()->first));
  }
  for (const auto& [letter, text] : letters) {
    set_by_letter(parameters, letter, text);
  }
  return parameters;
}

Uts Given::uts() const {
  return {.tree = Tree(parameters()),
          .child_ids = parse_kernel(kernel).child_ids,
          .granularity = granularity};
}

Figures Given::figures(const TreeCounts& counts) const {
  return {
      {"tree", text_of(parameters())}, {"kernel", parse_kernel(kernel).name},
      {"nodes", counts.nodes},         {"leaves", counts.leaves},
      {"max_depth", counts.max_depth}, {"available_parallelism", available_parallelism(counts)}};
}

void warn_of_endless(const TreeParameters& parameters, RunOptions& options) {
  const bool is_limited = options.max_nodes < std::numeric_limits<std::int64_t>::max();
  if (!Tree(parameters).surely_ends() && !is_limited && !known_counts(parameters)) {
    options.warnings.push_back(
        "q * m is 1 or more, so that the tree may never end; --max-nodes would stop it");
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
  Study study{.size_option = "--tree"};
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
          .add_options = [&](CLI::App& cli) { given.add_to(cli); },
          .check_options =
              [&](cleave::RunOptions& options) { warn_of_endless(given.parameters(), options); },
          .study = study_of,
          .application = [&](const cleave::RunOptions&) { return given.uts(); },
          .make_problem = [&](const cleave::NamedSizes&,
                              std::uint64_t) { return whole_tree(Tree(given.parameters())); },
          .is_generated = [] { return false; },
          .wrong =
              [&](const Forest&, const TreeCounts& counts) {
                return wrong_counts(given.parameters(), counts);
              },
          .figures = [&](const TreeCounts& counts) { return given.figures(counts); },
      });
}
