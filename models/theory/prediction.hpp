// SPDX-License-Identifier: Apache-2.0
// What a user is told of one size on one number of ranks, how many ranks to ask for, and how far a
// model can be trusted.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/theory/model.hpp"

namespace cleave::models {

/// The share of one block at one level in a run's time.
struct BlockShare {
  detail::Block block = detail::Block::sequential;
  int level = 0;
  double seconds = 0;
  bool is_message = false;     ///< whether it goes by l and g
  std::string_view part = {};  ///< of a search that is no level's block

  std::string_view name() const { return part.empty() ? name_of(block) : part; }
};

struct Prediction {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  int ranks_per_host = 1;
  NamedSizes sizes;
  double seconds = 0;  ///< when nothing disturbs it
  /// The quiet time is between these with 95 % probability.
  double low = 0;
  double high = 0;
  /// A single run is, on a host as busy as it was in the fitted runs.
  double run_low = 0;
  double run_high = 0;
  std::optional<double> sum_of_maxima_s;  ///< equation 6 beside it; none of a search
  /// Doublings, of ranks, threads and sizes together, from the nearest run that is known.
  double reach = 0;
  State state = State::not_checked;
  std::vector<BlockShare> shares;  ///< of the last rank to end; they add up to `seconds`
  /// The longest message of each level; none of a search, or where messages were measured.
  std::vector<double> message_bytes;
  std::vector<std::string> remarks;
  std::string assumed_network;         ///< Network::assumed, where messages leave a host
  std::optional<double> memory_bytes;  ///< of the rank that needs most

  Place place() const { return {ranks, threads, sizes}; }
  /// Half of the interval's width, relative.
  double half_width() const { return (high - low) / (2 * seconds); }
};

struct PredictOptions {
  /// How many ranks compute at once on a host; by default Model::usual_ranks_per_host.
  std::optional<int> ranks_per_host;
  /// Threads of a rank, with work stealing; by default as fitted, 1 where the runs differ.
  std::optional<int> threads;
  /// Whether messages take no time, as in a rehearsal: nothing need be known of them then.
  bool is_silent = false;
};

/// \throws UsageError  if ranks are below 1, threads are below 1 or others than were fitted, or a
///                     size is missing, unknown or below 1. Also if a size was the same in every
///                     fitted run, and is another here.
/// \throws Error       with the reason, if a part was refused or l and g are not known
Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options = {});

/// A prediction of a run that was measured, on as many ranks a host and threads. \throws  as above
Prediction predict(const Model& model, const RunPoint& run);

struct PlanRequest {
  NamedSizes sizes;
  std::vector<int> ranks;            ///< to choose among, ascending
  std::optional<double> deadline_s;  ///< 95 % of runs on a host as it was must keep it
  std::optional<double> efficiency;  ///< at least; speed-up over one rank / ranks
  double max_node_bytes = std::numeric_limits<double>::infinity();  ///< of memory
  PredictOptions options;
};

struct PlanChoice {
  Prediction prediction;
  double speedup = 1;
  double efficiency = 1;
  double core_hours = 0;    ///< of the predicted time, threads of a rank included
  int nodes = 1;            ///< of a table, which has none, ranks
  double node_bytes = 0;    ///< of memory; 0 where it is not known
  std::string_view missed;  ///< "too long", "too idle", "memory"; else empty

  bool fits() const { return missed.empty(); }
};

struct Plan {
  std::vector<PlanChoice> choices;    ///< one a number of ranks, up to the fastest
  std::optional<std::size_t> chosen;  ///< index into choices; none if nothing fits
  /// Why some numbers of ranks are not among the choices; empty where all are.
  std::string left_out;
};

/// With a deadline the fastest on the fewest nodes that fit, else the most ranks with the asked
/// efficiency. Numbers of ranks that cannot be predicted are left out where others can.
/// \throws UsageError  if neither is given; else as `predict`
Plan make_plan(const Model& model, const PlanRequest& request);

/// The schedule of a call is played for at most so many ranks.
inline constexpr int kMostPlayedRanks = 1 << 16;

/// The parts of the time of the last rank by the laws, and their half widths (Estimate).
struct Parts {
  double blocks_s = 0;
  double messages_s = 0;
  double blocks = 0;
  double messages = 0;
};

/// Fills in the time and the shares of the last rank where every block takes its median, for the
/// ranks, ranks per host and sizes of `prediction`. Cost: O(P log P) for P ranks.
/// \param rehearsed  this run, or null: what it has is taken in place of the laws
/// \throws Error  if a block of the schedule cannot be predicted, or there are too many ranks
Parts play(Prediction& prediction, const Model& model, const Network& network, bool is_silent,
           const RehearsedRun* rehearsed = nullptr);

/// A prediction held against what was measured.
Check check_of(const Prediction& prediction, double measured_s, bool is_rehearsed = false);

}  // namespace cleave::models
