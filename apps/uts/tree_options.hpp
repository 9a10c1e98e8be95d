// SPDX-License-Identifier: Apache-2.0
// The options that name a tree, for every program that takes one.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "apps/uts/parameters.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace cleave::uts {

/// `--tree`, and the option letters of UTS 1.1, which change what `--tree` names or, without it,
/// the defaults of UTS 1.1.
class TreeOptions {
 public:
  /// This object must stay where it is until `cli` has parsed.
  void add_to(CLI::App& cli);

  /// \throws UsageError  if what was given does not go together
  TreeParameters parameters() const;

 private:
  std::optional<TreeParameters> tree_;
  std::map<char, std::string> letters_;
};

}  // namespace cleave::uts
