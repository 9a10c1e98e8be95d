// SPDX-License-Identifier: Apache-2.0
// The program cleave-uts: its options, and what it tells of a search.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/program.hpp>

#include "apps/uts/check.hpp"
#include "apps/uts/tree_options.hpp"
#include "apps/uts/uts.hpp"

namespace cleave::uts {

/// The program cleave-uts. Its tree is that of the options.
class UtsProgram : public Uts {
 public:
  UtsProgram() : Uts{.tree = Tree(TreeOptions().parameters())} {}

  static constexpr std::string_view kName = "uts";
  static constexpr std::string_view kSummary = "Counts the nodes of an unbalanced tree.";
  static constexpr std::string_view kWork = "nodes";

  void add_options(CommandLine& command_line) {
    tree_.add_to([&](const auto&... option) { command_line.add(option...); });
    command_line.add("-g", "1", "granularity: how many times each node is hashed",
                     [this](const std::string& text) {
                       constexpr std::int64_t kMax = 1'000'000'000;
                       granularity = static_cast<int>(parse_count_between(text, 1, kMax));
                     });
    command_line.add("--kernel", "auto",
                     "SHA-1 by openssl, by sha (the processor's SHA extensions), or by auto, the "
                     "faster one that runs here",
                     [this](const std::string& text) { kernel_ = parse_kernel(text); });
  }

  void check_options(RunOptions& options) {
    tree = Tree(tree_.parameters());
    child_ids = kernel_.child_ids;
    max_nodes = options.max_nodes;
    max_memory = static_cast<std::size_t>(options.max_memory_bytes);
    constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
    const bool is_limited = std::min(options.max_nodes, options.max_memory_bytes) < kUnlimited;
    if (!tree.surely_ends() && !is_limited && !known_counts(tree.parameters())) {
      options.warnings.push_back(
          "q * m is 1 or more, so that the tree may never end; --max-nodes or --max-memory would "
          "stop it");
    }
  }

  std::string instance() const { return text_of(tree.parameters()); }

  bool is_generated() const { return false; }

  Forest make_problem(std::uint64_t /*seed*/) const { return whole_tree(tree); }

  Figures figures(const TreeCounts& counts) const {
    return {{"tree", text_of(tree.parameters())},
            {"kernel", kernel_.name},
            {"nodes", counts.nodes},
            {"leaves", counts.leaves},
            {"max_depth", counts.max_depth},
            {"available_parallelism", available_parallelism(counts)}};
  }

  std::optional<std::string> wrong(const Forest& /*problem*/, const TreeCounts& counts) const {
    return wrong_counts(tree.parameters(), counts);
  }

  /// Geometric trees of UTS 1.1 with 4 children on average, by depth and seed: each has about twice
  /// the nodes of the one before, from 4 million to 490 million. A quick study ends at 66 million.
  /// On the hypercube, binomial trees of Prins (2003) of about 16 n nodes, n of them below the
  /// root.
  Study study(const RunOptions& options, bool is_quick) const {
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
         {std::pair(10, 19), std::pair(10, 7), std::pair(11, 19), std::pair(11, 7),
          std::pair(12, 19), std::pair(12, 7), std::pair(13, 19), std::pair(13, 7)}) {
      study.sizes.push_back(fmt::format("-t 1 -a 3 -b 4 -d {} -r {}", depth, seed));
    }
    study.sizes.resize(is_quick ? 5 : study.sizes.size());
    return study;
  }

 private:
  TreeOptions tree_;
  Kernel kernel_ = fastest_kernel();
};

}  // namespace cleave::uts
