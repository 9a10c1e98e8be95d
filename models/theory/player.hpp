// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// fits say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cleave/schedule/schedule.hpp>

#include "models/theory/bound_fit.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

class Player {
 public:
  /// \throws Error  if a block of the schedule cannot be predicted
  Player(const Model& model, const Network& network, int ranks, int ranks_per_host,
         const NamedSizes& sizes);

  /// The time of the last rank where every block takes its own draw: of the runs that it was fitted
  /// to, and of the noise of their repetitions. Costs a few steps a rank and level.
  double draw(std::size_t replicate, std::mt19937_64& random);

  /// Without any of these.
  struct Typical {
    std::vector<BlockShare> shares;  ///< of the last rank, from the root down
    double sum_of_maxima_s = 0;      ///< equation 6
    bool is_outside_fitted_range = false;
    std::vector<std::string> remarks;
  };
  Typical typical();

 private:
  static constexpr std::size_t kMaxSizes = 8;
  using SizeValues = std::array<double, kMaxSizes>;

  /// A block with its sizes bound to those of the run.
  struct Bound {
    const BlockModel* model = nullptr;
    std::vector<std::string> names;
    std::vector<const Scaling*> scaling;
    std::vector<double> run_sizes;
    std::optional<BoundFit> fit;
  };

  /// What two ranks take for a step that moves something, the same for all pairs of a group.
  struct Moved {
    double header_s = 0;
    Noise::Times exchange;
    Noise::Times skeleton;
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

  Bound bind(detail::Block block, const Fit& fit, const BlockModel* model) const;
  const Bound& bound(detail::Block block) const;
  std::span<const double> sizes_of(const Bound& bound, detail::Block block, int group,
                                   SizeValues& values) const;
  double fraction_moved(const detail::Step& step) const;
  double elements_of(int group) const;

  double play();
  void set_fractions();
  void step(const detail::Step& step);
  double seconds_of(const Bound& bound, std::span<const double> sizes);
  void work(detail::Block block, int group, int first, int count, const Noise::Times& times);
  double drawn(const Noise::Times& times, int rank);
  Moved moved(const detail::Step& step);
  void move(const detail::Step& step);
  void meet(int a, int b, const detail::Step& step, const Moved& what);
  void meet(int first, int count, Place place, double seconds);
  double choose_splitter(int group);

  const detail::Communication& entry(int level, bool leaves_host);
  void set_factors(const NetworkFactors& factors);
  bool leaves_host(int group) const;
  double slowness(int rank);
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
  detail::Schedule schedule_;
  double paper_factor_;  ///< messages at once in what the fitted factor was fitted to
  std::map<detail::Block, Bound> blocks_;
  std::optional<Bound> bytes_;
  std::map<std::pair<int, bool>, Entry> entries_;
  std::vector<std::string> remarks_;

  // Of one play.
  std::optional<std::size_t> replicate_;  ///< none: typical
  std::mt19937_64* random_ = nullptr;
  std::vector<double> clocks_;
  std::vector<double> fractions_;  ///< of the problem, by group
  std::vector<double> slowness_;   ///< by host
  NetworkFactors factors_;
  /// Seconds on the path to where a rank is, by rank and place; empty unless typical.
  std::vector<double> spent_;
  bool is_outside_ = false;
};

}  // namespace cleave::models
