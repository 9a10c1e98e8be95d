// SPDX-License-Identifier: Apache-2.0
// How much longer a program takes than another, and how sure that is
// (docs/explanation/model.md, "Comparing").
#pragma once

#include <limits>
#include <map>
#include <tuple>

#include <cleave/sizes.hpp>

namespace cleave::models {

/// Ranks, threads of a rank, and sizes.
using RunOfSide = std::tuple<int, int, NamedSizes>;

/// What one thing, a block or the whole call, takes on one side: the quiet seconds of each run, by
/// round.
using TimesOfSide = std::map<RunOfSide, std::map<int, double>>;

/// The ratio of the second side's times to the first's, with the range that holds it with the
/// probability that was asked for. Nothing is known of fewer than two rounds.
struct Difference {
  double ratio = 1;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  int runs = 0;    ///< that both sides have
  int rounds = 0;  ///< of the side that has fewer

  bool is_slower() const { return low > 1; }
  bool is_faster() const { return high < 1; }
  /// Whether it is sure that both take as long, but for less than 5 %.
  bool is_none() const { return low > 1 / kLittle && high < kLittle; }

 private:
  static constexpr double kLittle = 1.05;
};

/// Rounds are the unit of chance: repetitions of one round were disturbed together, or not. A
/// round's value is the median over its runs of their times, relative to what the first side takes.
/// Each side's rounds give a posterior as in a fit (law.hpp), or Student's t of those that were
/// not disturbed, where these differ more. \pre  0 < probability < 1
Difference difference_of(const TimesOfSide& first, const TimesOfSide& second, double probability);

}  // namespace cleave::models
