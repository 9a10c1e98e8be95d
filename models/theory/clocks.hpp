// SPDX-License-Identifier: Apache-2.0
// Clocks of neighbouring ranks, of which many show the same: what is alike is kept once, so that
// millions of ranks take a few entries.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

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

/// What was spent on the way to `moment`, added up.
std::map<Place, double> spent_on(const Arrival& moment);

/// Keeps what arrivals spent.
class Spending {
 public:
  Arrival spend(Arrival moment, Place place, double seconds);
  /// `then`, which began at 0, begun at `moment`.
  Arrival after(Arrival moment, Arrival then);

 private:
  std::deque<Spent> spent_;
};

/// The clocks of some neighbouring ranks, as stretches of ranks whose clocks show the same.
class RankClocks {
 public:
  RankClocks() = default;
  RankClocks(int ranks, Arrival clock) { add(ranks, clock); }

  int size() const;
  /// The latest of all. \pre  size() > 0
  Arrival latest() const;
  /// The clock of each rank.
  std::vector<Arrival> each() const;
  /// Ranks `first` to `first + ranks - 1` of these.
  RankClocks slice(int first, int ranks) const;

  /// Puts more ranks after these.
  void add(int ranks, Arrival clock);
  void add(const RankClocks& more);
  /// Replaces every clock by `change(clock)`.
  template <class Change>
  void change(const Change& change) {
    for (Alike& alike : stretches_) {
      alike.clock = change(alike.clock);
    }
  }

  /// Of the clocks of two groups of one size the later ones, rank by rank.
  static RankClocks later(const RankClocks& a, const RankClocks& b);

 private:
  struct Alike {
    int ranks = 0;
    Arrival clock;
  };
  std::vector<Alike> stretches_;
};

}  // namespace cleave::models
