// SPDX-License-Identifier: Apache-2.0
// Questions of the kind "what if the network were ten times faster": a model with some of its
// constants multiplied.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/theory/model.hpp"

namespace cleave::models {

/// What l, g or the time of a block is multiplied by, by name.
using WhatIf = std::map<std::string, double>;

/// "g=0.1x,l=10x,sequential=0.5x": l, g and names of blocks, each with a factor above 0.
/// \throws UsageError  naming the part that cannot be read
WhatIf parse_what_if(std::string_view text);

/// The blocks whose time can be multiplied in `model`.
std::vector<std::string_view> changeable_blocks(const Model& model);

/// `model` with l, g and the times of blocks multiplied.
/// \throws UsageError  if something has no time of its own there, so that nothing would change
Model changed(Model model, const WhatIf& what_if);

}  // namespace cleave::models
