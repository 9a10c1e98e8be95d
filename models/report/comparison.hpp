// SPDX-License-Identifier: Apache-2.0
// Versions of a program, or anything else that was measured twice, side by side, each against the
// first: what takes longer, what does not, and where there is not enough to tell.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/report/table.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// Ranks, threads of a rank, and sizes.
using RunOfSide = std::tuple<int, int, NamedSizes>;

/// The times of one thing, a block or the whole call, on one side: the quiet seconds of each run,
/// by round.
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

/// The method is in docs/explanation/model.md, "Comparing": rounds, which are processes,
/// are the unit of chance. \pre  0 < probability < 1
Difference difference_of(const TimesOfSide& first, const TimesOfSide& second, double probability);

/// Measurements of one side, round by round.
struct ComparedSide {
  std::string name;
  std::vector<Measurements> rounds;
  std::map<std::string, std::set<std::string>> made_from;  ///< its runs, beside the program
};

/// The traces of a side by rounds: the n-th trace of each run is of round n.
/// \throws UsageError  as collect_measurements
ComparedSide side_of(std::string name, std::vector<detail::Trace> traces);

/// One thing of one side against the first.
struct ComparedThing {
  std::size_t side = 1;
  std::string what;  ///< "whole call", or a block
  Difference difference;

  /// "slower", "faster", "no difference" or "not enough to tell".
  std::string verdict() const;
  /// "+10.3 % (95 %: +8 to +13)", as far as it is known.
  std::string text() const;
};

struct Comparison {
  std::vector<std::string> sides;
  std::vector<ComparedThing> things;  ///< of each side the whole call first
  std::set<std::string> others;       ///< what differs beside the program
  std::vector<std::string> notes;     ///< runs that a side lacks, among others

  /// By how much something takes longer for certain: the greatest lower end of an interval; 1
  /// where nothing does.
  double max_ratio() const;
  /// One line: all that is slower or faster for certain, or that nothing is.
  std::string summary() const;
};

/// Each side against the first. Compared are the whole calls, and the blocks that take at least 2 %
/// of them. All intervals hold together with 95 % probability.
/// \throws UsageError  if the sides are not of one application
/// \throws Error       if no side has a run that the first has
Comparison compare_sides(const std::vector<ComparedSide>& sides);

Table table_of(const Comparison& comparison);

}  // namespace cleave::models
