// SPDX-License-Identifier: Apache-2.0
// Where a run is among those that are known, and what these say of it beside the laws: a Gaussian
// process over the logarithm of known / by the laws (C. E. Rasmussen, C. K. I. Williams, Gaussian
// Processes for Machine Learning, 2006, equations 2.25 and 2.26).
#pragma once

#include <span>

#include <cleave/sizes.hpp>

namespace cleave::models {

/// The numbers that the time of a run depends on.
struct Place {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  NamedSizes sizes;
};

/// Doublings between two places, of ranks, threads and sizes together: 3 where one has twice the
/// ranks and four times the size. Sizes that one of them lacks do not count.
double doublings_between(const Place& a, const Place& b);

/// Doublings that make no difference.
inline constexpr double kSamePlace = 0.01;

/// A value that is known at a place: the logarithm of a ratio, and its standard deviation.
struct Known {
  Place place;
  double value = 0;
  double deviation = 0;
};

/// The logarithm of a ratio at a place that is asked about.
struct Correction {
  double mean = 0;
  double deviation = 0;
};

/// The answer of the process at `place`. Two places so many doublings apart correlate by
/// exp(-doublings). `deviation` is that of the laws there; a near value that is larger counts in
/// its place. It is returned as it is where nothing is known. Cost: the cube of the number of
/// values, of which the nearest 64 count.
Correction correction_at(const Place& place, std::span<const Known> known, double deviation);

}  // namespace cleave::models
