// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// fits say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/schedule/schedule.hpp>

#include "models/theory/law.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

class Player {
 public:
  /// \param rehearsed  of this run, or null; what it has is taken in place of the laws
  /// \throws Error  if a block of the schedule cannot be predicted
  Player(const Model& model, const Network& network, int ranks, int ranks_per_host,
         const NamedSizes& sizes, const RehearsedRun* rehearsed = nullptr);

  /// The time of the last rank where every block takes its median, and what it consists of. Costs
  /// a few steps a rank and level.
  struct Played {
    double seconds = 0;
    std::vector<BlockShare> shares;  ///< of the last rank, from the root down
    /// Of the 95 % range, on the scale of logarithms: those of the blocks by their shares.
    double half_width_below = 0;
    double half_width_above = 0;
    double sum_of_maxima_s = 0;  ///< equation 6
    bool is_outside_fitted_range = false;
    std::vector<std::string> remarks;
  };
  Played play();

  /// The time alone, with what is assumed of a network between hosts multiplied.
  double seconds_with(const NetworkFactors& factors);

 private:
  static constexpr std::size_t kMaxSizes = 8;
  using SizeValues = std::array<double, kMaxSizes>;

  /// A block with its sizes bound to those of the run.
  struct Bound {
    std::vector<std::string> names;
    std::vector<const Scaling*> scaling;
    std::vector<double> run_sizes;
    std::optional<BoundLaw> law;
  };

  /// What two ranks take for a step that moves something, the same for all pairs of a group.
  struct Moved {
    double header_s = 0;
    double exchange_s = 0;
    double skeleton_s = 0;
  };

  /// What stands for the messages of a level, inside hosts or between them.
  struct Entry {
    detail::Communication typical;
    detail::Communication of_play;  ///< an assumed network is drawn, too
  };

  /// A place on the critical path.
  struct Place {
    detail::Block block = detail::Block::sequential;
    int level = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  Bound bind(detail::Block block, const Law& law) const;
  const Bound& bound(detail::Block block) const;
  std::span<const double> sizes_of(const Bound& bound, detail::Block block, int group,
                                   SizeValues& values) const;
  double fraction_moved(const detail::Step& step) const;
  double elements_of(int group) const;

  double walk();
  void set_fractions();
  void step(const detail::Step& step);
  std::optional<double> rehearsed_s(Place place, int rank) const;
  double leaf_ratio(int rank, int rehearsed) const;
  double median_of(const Bound& bound, std::span<const double> sizes);
  void remember_width(Place place, const Bound& bound, std::span<const double> sizes, int rank);
  void set_half_widths(Played& played) const;
  void work(detail::Block block, int group, int first, int count, double by_law_s);
  Moved moved(const detail::Step& step);
  void move(const detail::Step& step);
  void meet(int a, int b, int group, const Moved& what);
  void meet(int first, int count, Place place, double seconds);
  double choose_splitter(int group);

  const detail::Communication& entry(int level, bool leaves_host);
  void set_factors(const NetworkFactors& factors);
  bool leaves_host(int group) const;
  void spend(int rank, Place place, double seconds);
  std::size_t places() const;
  std::span<double> spent_by(int rank);
  void follow(int rank, int other);
  const detail::ScheduledGroup& group_at(int group) const {
    return schedule_.groups[static_cast<std::size_t>(group)];
  }
  double sum_of_maxima();

  const Model& model_;
  const HypercubeModel& parts_;
  const Network& network_;
  int ranks_;
  int ranks_per_host_;
  NamedSizes run_sizes_;
  const RehearsedRun* rehearsed_;
  detail::Schedule schedule_;
  double paper_factor_;  ///< messages at once in what the fitted factor was fitted to
  std::map<detail::Block, Bound> blocks_;
  std::optional<Bound> bytes_;
  std::map<std::pair<int, bool>, Entry> entries_;
  std::vector<std::string> remarks_;

  // Of one play.
  std::vector<double> clocks_;
  std::vector<double> fractions_;  ///< of the problem, by group
  NetworkFactors factors_;
  /// Seconds on the path to where a rank is, by rank and place; empty where none is asked for.
  std::vector<double> spent_;
  std::map<Place, Estimate> said_;  ///< by the laws
  bool is_outside_ = false;
};

}  // namespace cleave::models
