// SPDX-License-Identifier: Apache-2.0
// Trees to split: random, skewed, refined along a sphere or at a point, and by name.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "apps/splitting/curve.hpp"
#include "apps/splitting/tree.hpp"

namespace cleave::splitting {

/// Every node of a level above `l_min` refines, none of `l_max` or below does; in between the
/// generator decides. \throws Error  from every generator, unless 0 <= l_min <= l_max <= the
/// curve's deepest level
struct Depths {
  int l_min = 1;
  int l_max = 6;
};

/// Each node refines with `probability`, from 0 to 1.
Tree random_tree(const Curve& curve, Depths depths, double probability, std::uint64_t seed);

/// Cells that the surface of the sphere (circle), or the point if the radius is 0, meets refine.
/// Centre and radius in units of the domain's edge.
Tree sphere_tree(const Curve& curve, Depths depths, std::array<double, 3> centre, double radius);

/// The tree that `--tree` names. Either a file, or one of
///   random:p=0.6,seed=1   uniform   sphere:radius=0.3   point:x=0.3,y=0.4,z=0.2
/// each with k, d and max as well, and all but uniform also with min, the levels above which
/// everything refines: `sphere:k=2,d=3,min=2,max=6,radius=0.3`. A name with a colon, or that is
/// exactly a generator's, is never looked up as a file. \throws UsageError  naming the parameter;
/// FileError for a file
Tree tree_named(const std::string& source);

/// The generators and their parameters, for --help.
std::string tree_source_help();

}  // namespace cleave::splitting
