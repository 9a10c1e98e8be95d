// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// fits say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10). Groups
// that are alike are played once, so that millions of ranks take no longer than thousands.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/schedule/schedule.hpp>

#include "models/theory/clocks.hpp"
#include "models/theory/law.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

class Player {
 public:
  /// \param rehearsed  of this run, or null; what it has is taken in place of the laws
  /// \param is_silent  whether messages take no time, so that nothing need be known of them
  /// \throws Error  if a block of the schedule cannot be predicted
  Player(const Model& model, const Network& network, int ranks, int ranks_per_host,
         const NamedSizes& sizes, const RehearsedRun* rehearsed = nullptr, bool is_silent = false);

  /// The time of the last rank where every block takes its median, and what it consists of. Costs
  /// a few steps for each level and different group of it.
  struct Played {
    double seconds = 0;
    std::vector<BlockShare> shares;  ///< of the last rank, from the root down
    /// Of the 95 % range, on the scale of logarithms: those of the blocks by their shares.
    double half_width_below = 0;
    double half_width_above = 0;
    double half_width_of_blocks = 0;    ///< without messages
    double sum_of_maxima_s = 0;         ///< equation 6
    std::vector<double> message_bytes;  ///< the longest of each level
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

  /// Ranks that share a subproblem, and how much of the problem they and their halves have.
  struct Ranks {
    detail::Group ranks;
    int level = 0;
    double fraction = 1;
    double left = 0;   ///< fraction of the left half
    double right = 0;  ///< of the right one
  };

  Bound bind(detail::Block block, const Law& law) const;
  const Bound& bound(detail::Block block) const;
  std::span<const double> sizes_of(const Bound& bound, detail::Block block, const Ranks& group,
                                   SizeValues& values) const;
  static double fraction_moved(const detail::Step& step, const Ranks& group);
  double elements_of(const Ranks& group) const;

  const RankClocks* walk();
  const RankClocks* solve(const Ranks& group);
  Ranks half_of(const Ranks& group, bool is_left) const;
  void set_halves(Ranks& group) const;
  const RankClocks* step(const detail::Step& step, const Ranks& group, const RankClocks* line);
  std::optional<double> rehearsed_s(Place place, int rank) const;
  double leaf_ratio(int rank, int rehearsed) const;
  const RankClocks* work(const detail::Step& step, const Ranks& group, const RankClocks* line);
  double median_of(const Bound& bound, std::span<const double> sizes);
  void remember_width(Place place, const Bound& bound, std::span<const double> sizes, int rank);
  void set_half_widths(Played& played) const;
  Moved moved(const detail::Step& step, const Ranks& group);
  const RankClocks* move(const detail::Step& step, const Ranks& group, const RankClocks* line);
  const RankClocks* spend(const RankClocks* line, int level, const Moved& what);
  double choose_splitter(const Ranks& group);
  void add_to_maxima(const detail::Step& step, const Ranks& group, double seconds);

  const detail::Communication& entry(int level, bool leaves_host);
  void set_factors(const NetworkFactors& factors);
  bool leaves_host(const Ranks& group) const;

  const Model& model_;
  const HypercubeModel& parts_;
  const Network& network_;
  int ranks_;
  int ranks_per_host_;
  NamedSizes run_sizes_;
  const RehearsedRun* rehearsed_;
  bool is_silent_;
  double paper_factor_;  ///< messages at once in what the fitted factor was fitted to
  std::map<detail::Block, Bound> blocks_;
  std::optional<Bound> bytes_;
  std::map<std::pair<int, bool>, Entry> entries_;
  std::vector<std::string> remarks_;

  // Of one play.
  Clocks clocks_;
  /// What a group has come to that began at 0, by its size, level, place on its host and fraction.
  std::map<std::tuple<int, int, int, float>, const RankClocks*> solved_;
  NetworkFactors factors_;
  bool is_first_play_ = true;       ///< with widths and maxima
  std::map<Place, Estimate> said_;  ///< by the laws
  /// Equation 6: what the slowest rank takes at each place, with the largest sizes of the level.
  std::map<std::pair<Place, detail::Step::What>, double> maxima_;
  std::vector<double> message_bytes_;
  bool is_outside_ = false;
};

}  // namespace cleave::models
