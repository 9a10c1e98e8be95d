// SPDX-License-Identifier: Apache-2.0
// A model: everything that a prediction needs, as it was fitted to traces and a machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

#include "models/theory/correction.hpp"
#include "models/theory/law.hpp"
#include "models/theory/network.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// The quiet time of one block on one rank.
struct BlockModel {
  detail::Block block = detail::Block::sequential;
  Law law;
  int samples = 0;  ///< that it was fitted to: one a rank and level of a run
};

/// How `size` of `block` follows from the run's in a group that has a fraction of the problem:
/// times `scale`, and the fraction unless every level has the whole (the N roots of a graph).
struct Scaling {
  detail::Block block = detail::Block::sequential;
  std::string size;
  double scale = 1;
  bool is_whole = false;

  double of_fraction(double run_size, double fraction) const {
    return run_size * scale * (is_whole ? 1 : fraction);
  }
};

/// How exchanges use l and g: a message of K bytes takes factor * (l + K g).
struct ExchangeModel {
  double factor = 2;
  bool factor_is_fitted = false;
  double splitter_bytes = 0;  ///< of an element in a sample of the sorting form; 0 for other forms
  Law bytes;                  ///< K as a function of the sizes of what is moved
  /// Half the range of 95 % of the time in exchanges, on the scale of logarithms.
  double half_width = 0;
};

/// The times of the blocks of a call on the hypercube (docs/explanation/model.md, "The law").
struct HypercubeModel {
  detail::Way way = detail::Way::replicated;
  std::vector<BlockModel> blocks;
  std::vector<Scaling> scaling;
  std::optional<ExchangeModel> exchange;

  const BlockModel* find(detail::Block block) const {
    const auto found = std::ranges::find(blocks, block, &BlockModel::block);
    return found == blocks.end() ? nullptr : &*found;
  }
};

/// The time of a search by work stealing (docs/explanation/model.md, "Searches"): W nodes on R
/// ranks of t threads take T = tau W / (R t) / efficiency, the share of time that visits take.
struct SearchModel {
  /// Seconds of a worker's visits, of `nodes`, its share of the tree, and of the workers of a host.
  std::optional<Law> visits;
  /// 1 / efficiency, of `nodes`, `ranks` and `threads`.
  std::optional<Law> inverse_efficiency;
  int threads = 1;  ///< of a rank, the most that were measured
};

/// The arguments of both laws of a search.
inline NamedValues sizes_of_search(double nodes, int ranks, int threads) {
  return {{"nodes", nodes / ranks / threads},
          {"ranks", static_cast<double>(ranks)},
          {"threads", static_cast<double>(threads)}};
}

/// Run times of which only the sizes are known (docs/explanation/model.md, "Tables").
struct TableModel {
  /// The medians of repetitions, all of the same sizes, the largest ranks and sizes last. The
  /// number of ranks is a size, 1 where the table has none.
  std::vector<Observation> points;
  std::optional<Law> law;  ///< of many points, not of ranks alone, answers

  Estimate at(const NamedValues& sizes) const;
  /// The values of a size among the points, ascending, each once.
  std::vector<double> values_of(const std::string& size) const;
};

/// A block, or a part of a search, that could not be fitted, and why.
struct RefusedBlock {
  detail::Block block = detail::Block::sequential;
  std::string reason;
};

/// How far a prediction may be relied on: held-out runs at least as far from the others as it is
/// lay in their intervals, none was as far, or too many lay outside.
enum class State { checked, not_checked, failed };
inline std::string_view name_of(State state) {
  constexpr std::array<std::string_view, 3> kNames = {"checked", "not checked", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

/// Whether an interval is so wide that what lies in it says nothing.
inline bool is_wide(double low, double high) { return high > 10 * low; }

/// A run or a rehearsal that was predicted without itself.
struct Check {
  int ranks = 1;
  int threads = 1;
  NamedSizes sizes;
  bool is_rehearsed = false;
  double reach = 0;  ///< Prediction::reach
  double measured_s = 0;
  double predicted_s = 0;
  double low = 0;
  double high = 0;

  bool is_inside() const { return low <= measured_s && measured_s <= high; }
  bool holds() const { return is_inside() && !is_wide(low, high); }
  double error() const { return std::abs(predicted_s / measured_s - 1); }
};

/// The runs that were held out from a model (docs/explanation/model.md, "The verdict").
struct Verdict {
  std::vector<Check> checks;  ///< ascending in reach

  /// The verdict of a question: `State` by the checks as far as the nearest beyond it that holds.
  State state(double reach) const;
  /// The farthest check that holds.
  double reach() const;
  /// The checks that speak for a question, and whether one of them is as far and inside.
  std::pair<std::span<const Check>, bool> speaking(double reach) const;
};

/// A run whose time is known, by the logarithm of known / by the laws.
struct KnownRun : Known {
  /// The part that is known: all but messages, measured or rehearsed; or messages alone.
  enum class Kind { run, rehearsal, messages };
  Kind kind = Kind::run;
  int ranks_per_host = 1;
  NamedSizes given;                              ///< RunPoint::given
  std::map<std::string, std::string> options{};  ///< RunPoint::options
};
inline constexpr std::array<std::string_view, 3> kKnownNames = {"run", "rehearsal", "messages"};

struct Model : Measured {
  std::string forms;  ///< how terms were decided: "auto" or "paper"
  std::variant<HypercubeModel, SearchModel, TableModel> parts;
  std::vector<RefusedBlock> refused;
  Network network;
  /// Bytes of a rank (memory_bytes); none where the traces do not determine it.
  std::optional<Law> memory;
  /// The host's share on top: elapsed / predicted quiet time of all repetitions of the fitted
  /// runs, ascending, by number of ranks.
  std::map<int, std::vector<double>> noise;
  /// The standard deviation of a run's rounds, which are processes of their own, relative.
  double scatter = 0;
  Verdict verdict;
  std::vector<KnownRun> known;

  // A file has their ranks, threads and sizes.
  std::vector<RunPoint> fitted;
  detail::Provenance provenance;

  const HypercubeModel* hypercube() const { return std::get_if<HypercubeModel>(&parts); }
  const SearchModel* search() const { return std::get_if<SearchModel>(&parts); }
  const TableModel* table() const { return std::get_if<TableModel>(&parts); }

  int min_ranks() const;  ///< of the fitted runs
  int max_ranks() const;
  int max_ranks_per_host() const;
  /// Whether a fitted run had ranks on several hosts.
  bool has_left_host() const;
  /// Ranks of a host in a run on `ranks` ranks of which nobody says where they are. They are as
  /// many as in a call whose messages were measured. Else they are as many as were measured or
  /// rehearsed where runs left their host, else as many as its cores hold.
  int usual_ranks_per_host(int ranks) const;

  /// doublings_between `place` and the nearest run or rehearsal; 0 where none is known.
  double reach(const Place& place) const;
  /// Another network, of which no message was measured.
  void set_network(Network other);

  /// Why `block` cannot be predicted.
  std::string reason_of(detail::Block block) const;
  /// Names of the sizes that predictions need, in alphabetical order.
  std::vector<std::string> size_names() const;
  /// The part of `sizes` that predictions need.
  NamedSizes known_sizes(NamedSizes sizes) const;
  /// Minimum and maximum in runs and rehearsals; none where no run has this size.
  std::optional<std::pair<std::int64_t, std::int64_t>> fitted_range(const std::string& name) const;
};

/// The arguments of the memory of a rank: every size S of the run, and S_per_rank = S / p.
/// Replicated data stays whole on every rank, distributed data is shared.
NamedValues memory_sizes(int ranks, const NamedSizes& sizes);
/// Bytes of the rank that needs most; none where the law asks for other sizes.
std::optional<double> memory_bytes(const Law& law, int ranks, const NamedSizes& sizes);

}  // namespace cleave::models
