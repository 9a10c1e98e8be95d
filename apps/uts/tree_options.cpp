// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/tree_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

constexpr const char* kDefaultTree = "prins:T3";

/// What -t and so on mean, with the defaults of UTS 1.1.
constexpr std::string_view description_of(char letter) {
  switch (letter) {
    case 't':
      return "UTS 1.1: type of tree: 0 BIN, 1 GEO, 2 HYBRID, 3 BALANCED (1)";
    case 'b':
      return "branching factor of the root (4)";
    case 'r':
      return "seed of the root (0)";
    case 'q':
      return "BIN: probability of an interior node (0.234375)";
    case 'm':
      return "BIN: children of an interior node (4)";
    case 'a':
      return "GEO: shape: 0 LINEAR, 1 EXPDEC, 2 CYCLIC, 3 FIXED (0)";
    case 'd':
      return "GEO, BALANCED: depth parameter (6)";
    default:
      return "HYBRID: the fraction of the depth parameter from which on nodes are BIN (0.5)";
  }
}

}  // namespace

void TreeOptions::add_to(CLI::App& cli) {
  cli.add_option_function<std::string>(
         "--tree", [this](const std::string& text) { tree_ = parse_tree(text); },
         "T1, T3L ... of UTS 1.1; prins:T1, prins:T2, prins:T3 or "
         "prins:r=0x101,n=3200,q=0.234375,m=4")
      ->check(detail::ParsedBy(parse_tree))
      ->default_str(kDefaultTree);
  for (const char letter : kTreeLetters) {
    cli.add_option_function<std::string>(
           fmt::format("-{}", letter),
           [this, letter](const std::string& text) { letters_[letter] = text; },
           std::string(description_of(letter)))
        ->check(detail::ParsedBy([letter](const std::string& text) {
          TreeParameters checked;
          set_by_letter(checked, letter, text);
        }));
  }
}

TreeParameters TreeOptions::parameters() const {
  if (letters_.empty()) {
    return tree_.value_or(parse_tree(kDefaultTree));
  }
  TreeParameters parameters = tree_.value_or(TreeParameters{});
  if (parameters.is_prins) {
    throw UsageError(
        fmt::format("-{} describes a tree of UTS 1.1, it does not go with --tree prins:...",
                    letters_.begin()->first));
  }
  for (const auto& [letter, text] : letters_) {
    set_by_letter(parameters, letter, text);
  }
  return parameters;
}

}  // namespace cleave::uts
