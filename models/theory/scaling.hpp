// SPDX-License-Identifier: Apache-2.0
// How the sizes of a block follow from those of the whole run. They shrink from level to level of
// the recursion over ranks, and not always evenly. Read off the samples.
#pragma once

#include <string>
#include <vector>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// The largest value over the ranks of size `size` of `block` in a group of g of p ranks is
///
///     run size * scale * (g / p)^exponent * imbalance^d
///
/// with d the number of divisions that led to it: the level, and one more for what is moved at a
/// level. exponent 1: halves; 0: every level has the whole (the N roots of a graph's components).
struct Scaling {
  detail::Block block = detail::Block::sequential;
  std::string size;
  double scale = 1;
  double exponent = 1;
  double imbalance = 1;  ///< max / mean over the ranks, for each division
  bool measured = true;  ///< whether more than one g / p was seen; else as the size's other blocks

  double operator()(double run_size, double group_share, int level) const;
  /// The size in a group that got `fraction` of the problem, whatever the others got.
  double of_fraction(double run_size, double fraction) const;
  /// max / mean over the ranks at `level`.
  double unevenness(int level) const;
};

/// One entry for each block and each of its sizes that the runs have, too.
std::vector<Scaling> fit_scaling(const std::vector<Sample>& samples);

/// How uneven divisions are on average. Of a group of l and r ranks the left half gets l exp(tilt /
/// 2) : r exp(-tilt / 2), by the sizes that shrink with the group.
double fit_tilt(const std::vector<Sample>& samples, const std::vector<Scaling>& scaling);

}  // namespace cleave::models
