// SPDX-License-Identifier: Apache-2.0
// The commands of cleave-spacetree.
#pragma once

namespace cleave::spacetree {

/// \return  the status to end with
/// \throws UsageError  for what was typed and cannot be used
int run(int argc, char** argv);

}  // namespace cleave::spacetree
