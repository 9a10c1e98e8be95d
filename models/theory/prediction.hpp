// SPDX-License-Identifier: Apache-2.0
// What a user is told of one size on one number of ranks, how many ranks to ask for, and how far a
// model can be trusted.
#pragma once

#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/theory/model.hpp"

namespace cleave::detail {
struct Trace;
}

namespace cleave::models {

// A run as it was rehearsed at its very sizes (`--rehearse`, docs/reference/programs.md): of the
// hypercube its blocks on some ranks, a search as a whole. No law is asked then.

struct RehearsedSearch {
  Estimate seconds;     ///< of the whole call
  double visits_s = 0;  ///< of these, what a worker visits nodes, on average
  std::string network;  ///< the name of its file, perhaps of a preset
};

struct RehearsedRun {
  int ranks = 1;
  int ranks_per_host = 1;  ///< that were rehearsed at once, or that a search was rehearsed with
  NamedSizes sizes;        ///< with what it was given
  std::map<std::string, std::string> options{};  ///< that say what is solved
  bool is_asked = false;                         ///< whether a report is to answer for this run
  /// The quiet times by block and level, of each rehearsed rank.
  std::map<std::pair<detail::Block, int>, std::map<int, Estimate>> blocks;
  std::map<int, NamedValues> leaves;  ///< the sizes of what each rank solves alone
  std::optional<RehearsedSearch> search{};

  /// Which rehearsed rank stands for `rank`: itself, else the nearest before it, else the first.
  /// Null where the block was not rehearsed.
  const std::pair<const int, Estimate>* find(detail::Block block, int level, int rank) const {
    const auto found = blocks.find({block, level});
    if (found == blocks.end()) {
      return nullptr;
    }
    const auto after = found->second.upper_bound(rank);
    return &*(after == found->second.begin() ? after : std::prev(after));
  }
};

/// All messages of a call, as they were measured where it is to run (`cleave-calibrate --like`).
struct MeasuredMessages {
  int ranks = 1;
  int ranks_per_host = 1;
  NamedSizes sizes;
  Estimate seconds;
};

/// The application that a trace of the messages of `app` names.
std::string app_of_messages(const std::string& app);

/// The times of the calls of `trace` but for their blocks.
/// \throws UsageError  if it is not of the messages of `model`'s application and placement
MeasuredMessages measured_messages(const Measured& model, const detail::Trace& trace);

/// One for each number of ranks and sizes.
/// \throws UsageError  if a trace is of no rehearsal, or not of what `model` is of
std::vector<RehearsedRun> rehearsed_runs(const Model& model, std::span<const detail::Trace> traces);

/// The share of one block at one level in a run's time.
struct BlockShare {
  detail::Block block = detail::Block::sequential;
  int level = 0;
  double seconds = 0;
  std::string_view part = {};  ///< of a search that is no level's block

  std::string_view name() const { return part.empty() ? name_of(block) : part; }
};

/// Half widths of a 95 % range, on the scale of logarithms.
struct HalfWidths {
  double below = 0;
  double above = 0;

  /// None of an estimate of 0.
  static HalfWidths of(const Estimate& e) {
    return e.median > 0 ? HalfWidths{std::log(e.median / e.low), std::log(e.high / e.median)}
                        : HalfWidths();
  }
  void add(const HalfWidths& other) {
    below = std::hypot(below, other.below);
    above = std::hypot(above, other.above);
  }
  void add(double width) { add({width, width}); }
};

/// An interval whose ends lie further apart, as a ratio, is no answer.
inline constexpr double kWidestAnswer = 4;

struct Prediction {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  int ranks_per_host = 1;
  NamedSizes sizes;
  double seconds = 0;  ///< when nothing disturbs it
  /// The quiet time is between these with 95 % probability.
  double low = 0;
  double high = 0;
  // Parts of half that interval, on the scale of logarithms: of the blocks, and of a rehearsed run
  // all but what rehearsals themselves miss, which measuring can narrow.
  double half_width_of_blocks = 0;
  double half_width_of_measured = 0;
  /// A single run is, on a host as busy as it was in the fitted runs.
  double run_low = 0;
  double run_high = 0;
  std::optional<double> sum_of_maxima_s;  ///< equation 6 beside it; none of a search
  /// Whether ranks, or sizes of some block by more than 5 %, lie beyond the fitted ones.
  bool outside_fitted_range = false;
  std::vector<BlockShare> shares;  ///< of the last rank to end; they add up to `seconds`
  /// The longest message of each level; none of a search, or where messages were measured.
  std::vector<double> message_bytes;
  std::vector<std::string> remarks;
  std::set<int> levels_by_law;         ///< whose blocks the rehearsal of this run lacks
  bool is_rehearsed = false;           ///< whether blocks are as they were rehearsed at these sizes
  std::string assumed_network;         ///< Network::assumed, where messages leave a host
  std::optional<double> memory_bytes;  ///< of the rank that needs most
  /// The largest cache of that host that held the data of a rank in every fitted run, but not here.
  std::optional<std::int64_t> cache_left_bytes;

  /// Half of the interval's width, relative.
  double half_width() const { return (high - low) / (2 * seconds); }
  /// Whether the interval is narrow enough to be an answer: at most a factor of 4 wide.
  bool is_answer() const { return high <= kWidestAnswer * low; }
  /// Whether the range of single runs is, too.
  bool knows_runs() const { return is_answer() && run_high <= kWidestAnswer * run_low; }
};

struct PredictOptions {
  /// How many ranks compute at once on a host; by default Model::usual_ranks_per_host.
  std::optional<int> ranks_per_host;
  /// Another machine's l and g instead of the model's.
  std::optional<Network> network;
  /// Threads of a rank; by default those of the fitted runs, 1 where these differ. Work stealing
  /// alone has others.
  std::optional<int> threads;
  /// Blocks of a run of the ranks and sizes of one of these are as they were rehearsed. Sizes of
  /// the model that follow from what a rehearsal was given need not be asked for.
  std::vector<RehearsedRun> rehearsed{};
  /// Measured calls: at their ranks and sizes no l, g and factor is needed.
  std::vector<MeasuredMessages> messages{};
};

/// \throws UsageError  if ranks or threads are below 1 or others than were fitted, or a size is
///                     missing, unknown, below 1, or the same in every fitted run and another here
/// \throws Error       if a part that is needed was refused, or l and g of a network that is needed
///                     are not known, with the reason
Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options = {});

/// A prediction of a run that was measured, on as many ranks a host and threads. \throws  as above
Prediction predict(const Model& model, const RunPoint& run, PredictOptions options = {});

struct PlanRequest {
  NamedSizes sizes;
  std::vector<int> ranks;            ///< to choose among, ascending
  std::optional<double> deadline_s;  ///< 95 % of runs on a host as it was must keep it
  std::optional<double> efficiency;  ///< at least; speed-up over one rank / ranks
  PredictOptions options;
};

struct PlanChoice {
  Prediction prediction;
  double speedup = 1;
  double efficiency = 1;
  double core_hours = 0;  ///< of the predicted time, threads of a rank included
  bool fits = false;      ///< keeps what was asked
};

struct Plan {
  std::vector<PlanChoice> choices;    ///< one a number of ranks
  std::optional<std::size_t> chosen;  ///< index into choices; none if nothing fits
  /// Why some numbers of ranks are not among the choices; empty where all are.
  std::string left_out;
};

/// With a deadline the fewest ranks that fit, else the most with the asked efficiency. Numbers of
/// ranks that cannot be predicted are left out where others can.
/// \throws UsageError  if neither is given; else as `predict`
Plan make_plan(const Model& model, const PlanRequest& request);

/// The schedule of a call is played for at most so many ranks.
inline constexpr int kMostPlayedRanks = 1 << 16;

/// Fills in the time and the shares of the last rank where every block takes its median, for the
/// ranks, ranks per host and sizes of `prediction`. Cost: O(P log P) for P ranks.
/// \param rehearsed  this run, or null: what it has is taken in place of the laws
/// \param is_silent  whether messages take no time, so that nothing need be known of them
/// \return  the half widths of the blocks by their shares
/// \throws Error  if a block of the schedule cannot be predicted, or there are too many ranks
HalfWidths play(Prediction& prediction, const Model& model, const Network& network,
                const RehearsedRun* rehearsed = nullptr, bool is_silent = false);

/// A run as measured and as predicted.
struct JudgedRun {
  RunPoint run;
  Prediction prediction;
  double measured_s = 0;      ///< its quiet time
  double spread = 0;          ///< how far its quiet repetitions lie apart, relative
  double relative_error = 0;  ///< (predicted - measured) / measured
  bool held_out = false;      ///< whether its blocks come from elsewhere
  bool inside = false;        ///< the interval holds the quiet time, as far as the spread allows
};

/// \throws  as predict
JudgedRun judge_run(const Model& model, const RunPoint& run, const PredictOptions& options = {});

/// By the held-out ones among `runs` (docs/explanation/model.md, "The verdict").
Verdict judge(const std::vector<JudgedRun>& runs);
/// By those runs among `points` that can be predicted.
Verdict judge(const Model& model, const std::vector<RunPoint>& points,
              const PredictOptions& options = {});

/// The measure that would make its interval narrower.
std::string narrower_by(const Prediction& prediction);

}  // namespace cleave::models
