// SPDX-License-Identifier: Apache-2.0
// The options that name a tree, for every program that takes one.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "apps/uts/parameters.hpp"

namespace cleave::uts {

/// `--tree`, and the option letters of UTS 1.1, which change what `--tree` names or, without it,
/// the defaults of UTS 1.1.
class TreeOptions {
 public:
  using Parse = std::function<void(const std::string&)>;
  using Add = std::function<void(const std::string& name, const std::string& default_value,
                                 const std::string& description, Parse parse)>;

  /// Hands each option to `add`, with a function that is to be called with the value given. This
  /// object must stay where it is.
  void add_to(const Add& add);

  /// \throws UsageError  if what was given does not go together
  TreeParameters parameters() const;

 private:
  std::optional<TreeParameters> tree_;
  std::map<char, std::string> letters_;
};

}  // namespace cleave::uts
