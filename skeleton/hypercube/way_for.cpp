// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cleave/hypercube/hypercube.hpp>

namespace cleave::detail {

Way way_for(Placement asked, const WayTraits& application) {
  const PlacementTraits& placement = traits_of(asked);
  const Way way = way_of(asked, application.splits_parts);
  if (!application.is_distributable && placement.problem == Holders::parts) {
    throw Error(fmt::format(
        "placement {} is not for this application: it does not say how parts of a problem are "
        "solved together (application.hpp, Distributable)",
        placement.name));
  }
  if (!application.problem_crosses && moves_problems(way)) {
    throw Error(fmt::format(
        "placement {} sends problems to other ranks, and this application's Problem cannot cross: "
        "it holds a pointer, a view, a C array or a type without a wire",
        placement.name));
  }
  return way;
}

}  // namespace cleave::detail
