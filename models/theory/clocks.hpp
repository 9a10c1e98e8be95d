// SPDX-License-Identifier: Apache-2.0
// Clocks of neighbouring ranks, of which many show the same: what is alike is kept once, so that
// millions of ranks take a few hundred entries.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <utility>

#include <cleave/trace/span.hpp>

namespace cleave::models {

/// A place on the way to a clock.
struct Place {
  detail::Block block = detail::Block::sequential;
  int level = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// What was spent on the way to a clock: at `place`, after `before`; or `before`, and then `then`.
struct Spent {
  const Spent* before = nullptr;
  const Spent* then = nullptr;
  Place place;
  double seconds = 0;
};

/// Where a rank is.
struct Arrival {
  double seconds = 0;
  const Spent* spent = nullptr;
};

/// The clocks of some neighbouring ranks: all the same, or those of two parts.
struct RankClocks {
  int size = 0;
  Arrival latest;  ///< of all; that of each where there are no parts
  const RankClocks* left = nullptr;
  const RankClocks* right = nullptr;
};

/// Makes lines, and keeps them.
class Clocks {
 public:
  const RankClocks* same(int size, Arrival moment);
  /// One line after the other; one without parts where all clocks show the same.
  const RankClocks* join(const RankClocks* left, const RankClocks* right);
  /// Ranks `first` to `first + size - 1` of it. \pre  size > 0
  const RankClocks* slice(const RankClocks* line, int first, int size);
  /// Of two lines of one length the later clocks, rank by rank.
  const RankClocks* later(const RankClocks* a, const RankClocks* b);
  /// All of them later by what was spent on `moment`, which comes before.
  const RankClocks* after(Arrival moment, const RankClocks* line);
  /// Every rank spends so much.
  const RankClocks* spend(const RankClocks* line, Place place, double seconds);
  /// `line` with the clock of one rank replaced.
  const RankClocks* with(const RankClocks* line, int rank, Arrival moment);

  Arrival spend(Arrival moment, Place place, double seconds);
  static Arrival at(const RankClocks* line, int rank);
  /// What was spent on the way to `moment`, added up.
  static std::map<Place, double> spent_on(const Arrival& moment);

 private:
  using Change = std::function<Arrival(Arrival)>;
  const RankClocks* changed(const RankClocks* line, const Change& change,
                            std::map<const RankClocks*, const RankClocks*>& done);

  std::deque<RankClocks> lines_;
  std::deque<Spent> spent_;
};

}  // namespace cleave::models
