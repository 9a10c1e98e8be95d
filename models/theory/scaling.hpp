// SPDX-License-Identifier: Apache-2.0
// How the sizes of a block follow from those of the whole run. They shrink from level to level of
// the recursion over ranks, and not always evenly. Read off the samples.
#pragma once

#include <string>
#include <vector>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// The size `size` of `block` in a group of g of p ranks is
///
///     run size * scale * (g / p)^exponent
///
/// exponent 1: halves; 0: every level has the whole (the N roots of a graph's components).
struct Scaling {
  detail::Block block = detail::Block::sequential;
  std::string size;
  double scale = 1;
  double exponent = 1;
  bool measured = true;  ///< whether more than one g / p was seen; else as the size's other blocks

  /// The size in a group that got `fraction` of the problem, whatever the others got.
  double of_fraction(double run_size, double fraction) const;
};

/// One entry for each block and each of its sizes that the runs have, too.
std::vector<Scaling> fit_scaling(const std::vector<Sample>& samples);

/// How many of so many elements the choice of a splitter looks at.
double sampled(double elements);

/// How uneven divisions are on average. Of a group of l and r ranks the left half gets l exp(tilt /
/// 2) : r exp(-tilt / 2), by the sizes that shrink with the group.
double fit_tilt(const std::vector<Sample>& samples, const std::vector<Scaling>& scaling);

}  // namespace cleave::models
