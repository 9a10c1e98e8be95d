// SPDX-License-Identifier: Apache-2.0
// The executors and placements of a DC_Call, what its repetitions solve, and their names in traces
// and on command lines.
#pragma once

#include <cstddef>
#include <string_view>

namespace cleave {

/// How the recursion is run.
enum class DC_Type {
  sequential,     ///< on the calling rank alone, by the `sequential` functor where there is one
  hypercube,      ///< over the ranks of a communicator, halving their group at each level
  work_stealing,  ///< over ranks and threads; whoever has nothing to do steals from others
};

/// Where problem and solution live before and after the call.
enum class Placement {
  replicated,  ///< every rank holds the whole problem, and gets the whole solution
  rooted,      ///< rank 0 holds the problem, and gets the solution
  /// Every rank holds a part of the problem. What it gets is the application's choice of form:
  /// the whole solution where it `MergesParts`, a part where it `SplitsParts` (application.hpp).
  distributed,
};

/// The inputs of a run's repetitions.
enum class Inputs {
  same,      ///< one input, as often as there are repetitions
  each_new,  ///< each another input of the same sizes, if it is generated
};

namespace detail {

inline constexpr std::string_view kTypeNames[] = {"sequential", "hypercube", "work_stealing"};
inline constexpr std::string_view kPlacementNames[] = {"replicated", "rooted", "distributed"};

}  // namespace detail

/// Empty for a number that is none, as below.
constexpr std::string_view name_of(DC_Type type) {
  const auto index = static_cast<std::size_t>(type);
  return index < std::size(detail::kTypeNames) ? detail::kTypeNames[index] : "";
}
constexpr std::string_view name_of(Placement placement) {
  const auto index = static_cast<std::size_t>(placement);
  return index < std::size(detail::kPlacementNames) ? detail::kPlacementNames[index] : "";
}
/// "same", "new".
constexpr std::string_view name_of(Inputs inputs) {
  return inputs == Inputs::same ? "same" : "new";
}

}  // namespace cleave
