// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// fits say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10). Groups
// that are alike are played once, so that millions of ranks take no longer than thousands.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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
    std::set<int> levels_by_law;  ///< of a rehearsal that stopped below them
  };
  Played play();
  /// The time alone.
  double seconds() { return walk().seconds; }

 private:
  /// What two ranks take for a step that moves something, the same for all pairs of a group.
  struct Moved {
    double header_s = 0;
    double exchange_s = 0;
    double skeleton_s = 0;
  };

  /// The rank that takes longest at a place: how sure that is stands for all of them.
  struct Slowest {
    double seconds = -1;
    NamedValues sizes;
    int rank = 0;
  };

  /// Ranks that share a subproblem, and how much of the problem they and their halves have.
  struct PlayedGroup {
    detail::Group ranks;
    int level = 0;
    double fraction = 1;
    double left = 0;   ///< fraction of the left half
    double right = 0;  ///< of the right one
  };

  /// The sizes of `block`, each as `size_of` has it of its scaling and the run's size.
  template <class SizeOf>
  NamedValues sizes_by(detail::Block block, const SizeOf& size_of) const {
    NamedValues sizes;
    for (const Scaling& scaling : parts_.scaling) {
      const auto of_run = run_sizes_.find(scaling.size);
      if (scaling.block == block && of_run != run_sizes_.end()) {
        sizes[scaling.size] = size_of(scaling, static_cast<double>(of_run->second));
      }
    }
    return sizes;
  }
  NamedValues sizes_of(detail::Block block, const PlayedGroup& group) const;
  static double fraction_moved(const detail::Step& step, const PlayedGroup& group);

  Arrival walk();
  RankClocks solve(const PlayedGroup& group);
  PlayedGroup half_of(const PlayedGroup& group, bool is_left) const;
  void set_halves(PlayedGroup& group) const;
  // What `group` does in one step, from its clocks on.
  void play_step(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks);
  void work(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks);
  void move(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks);
  void meet(const detail::Step& step, const PlayedGroup& group, RankClocks& clocks);

  double median_of(detail::Block block, const Law& law, const NamedValues& sizes);
  double by_law(detail::Block block, const NamedValues& sizes);
  std::optional<double> rehearsed_s(Place place, int rank);
  double leaf_ratio(int rank, int rehearsed);
  void remember(Place place, double seconds, const NamedValues& sizes, int rank);
  Estimate said_at(Place place) const;
  void set_half_widths(Played& played) const;
  Moved moved(const detail::Step& step, const PlayedGroup& group);
  double choose_splitter(const PlayedGroup& group);
  void add_to_maxima(const detail::Step& step, const PlayedGroup& group, double seconds);
  void spend(RankClocks& clocks, Place place, double seconds);
  const detail::Communication& entry(const PlayedGroup& group, int level);
  bool leaves_host(const PlayedGroup& group) const;

  const Model& model_;
  const HypercubeModel& parts_;
  const Network& network_;
  int ranks_;
  int ranks_per_host_;
  NamedSizes run_sizes_;
  const RehearsedRun* rehearsed_;
  bool is_silent_;
  double paper_factor_;  ///< messages at once in what the fitted factor was fitted to
  std::map<std::pair<int, bool>, detail::Communication> entries_;
  std::vector<std::string> remarks_;
  /// What the laws say, by the sizes, each to 24 bits: groups that were divided alike differ in the
  /// last digits only.
  std::map<std::pair<detail::Block, NamedValues>, double> medians_;

  // Of one walk.
  Spending spending_;
  /// What a group has come to that began at 0, by its size, level, place on its host and fraction.
  std::map<std::tuple<int, int, int, float>, RankClocks> solved_;
  std::map<Place, Slowest> slowest_at_;
  /// Equation 6: what the slowest rank takes at each place, with the largest sizes of the level.
  std::map<std::pair<Place, detail::Step::What>, double> maxima_;
  std::vector<double> message_bytes_;
  std::set<int> levels_by_law_;
  bool is_outside_ = false;
};

}  // namespace cleave::models
