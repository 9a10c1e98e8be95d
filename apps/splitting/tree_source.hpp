// SPDX-License-Identifier: Apache-2.0
// Trees by name: a tree file, or a generator with its parameters.
#pragma once

#include <string>

#include "apps/splitting/tree/curve.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::spacetree {

/// The tree that `--tree` names. Either a file, or one of
///   random:p=0.6,seed=1   skewed   uniform   sphere:radius=0.3   point:x=0.3,y=0.4,z=0.2
///   uts:r=7,q=0.23
/// each with k, d and max as well, the first and those refined somewhere also with min, the levels
/// above which everything refines: `sphere:k=2,d=3,min=2,max=6,radius=0.3`.
/// A name with a colon, or that is exactly a generator's, is never looked up as a file.
/// \throws UsageError  naming the parameter; FileError for a file
splitting::Tree tree_named(const std::string& source);

/// The generators and their parameters, for --help.
std::string tree_source_help();

}  // namespace cleave::spacetree
