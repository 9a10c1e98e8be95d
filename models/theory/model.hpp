// SPDX-License-Identifier: Apache-2.0
// A model: everything that a prediction needs, as it was fitted to traces and a machine.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

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
/// ranks of t threads take T = tau W / (R t) / efficiency, the part of the workers' time in which
/// they visit nodes.
struct SearchModel {
  /// Seconds that a worker visits nodes, of `nodes`, its share of the tree, and of the workers that
  /// share a host.
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

/// The time of a whole run of which only the sizes are known; the number of ranks is one of them.
struct TableModel {
  Law law;
  int rows = 0;  ///< run sizes that it was fitted to
};

/// A block, or a part of a search, that could not be fitted, and why.
struct RefusedBlock {
  detail::Block block = detail::Block::sequential;
  std::string reason;
};

/// Whether a model's held-out quiet times lie in their intervals, most of which are narrow.
struct Verdict {
  std::optional<bool> trusted;  ///< none where no run was held out
  int held_out = 0;             ///< runs
  int inside = 0;               ///< of these, in their intervals as far as their own spread allows
  double median_error = 0;      ///< |predicted - measured| / measured
  std::string worst;            ///< of a model that is not trusted: the run that is farthest off
  std::string advice;           ///< what to do then, or where no held-out run can be predicted
  /// Whether all of them were rehearsed: then nothing judges the law of other sizes and ranks.
  bool of_rehearsals = false;

  /// \param by_law  whether an answer below it is by the law; what that rests on is said then
  std::string sentence(bool by_law = false) const;
};

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
  Verdict verdict;

  // A file has their ranks, threads, sizes and the names of the traces.
  std::vector<RunPoint> fitted;
  std::vector<RunPoint> held_out;
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
  /// many as were measured where runs left their host, else as many as its cores hold.
  int usual_ranks_per_host(int ranks) const;
  /// The noise of the nearest number of ranks; empty where there is none.
  const std::vector<double>& noise_of(int ranks) const;

  /// Why `block` cannot be predicted.
  std::string reason_of(detail::Block block) const;
  /// Names of the sizes that predictions need, in alphabetical order.
  std::vector<std::string> size_names() const;
  /// Minimum and maximum in the fitted runs; none where no run has this size.
  std::optional<std::pair<std::int64_t, std::int64_t>> fitted_range(const std::string& name) const;
  /// log2 of how far the sizes lie beyond the largest fitted one of each name, or below the
  /// smallest: the most of all names; 0 inside.
  double doublings_outside(const NamedSizes& sizes) const;
};

/// The arguments of the memory of a rank: every size S of the run, and S_per_rank = S / p.
/// Replicated data stays whole on every rank, distributed data is shared.
NamedValues memory_sizes(int ranks, const NamedSizes& sizes);
/// Bytes of the rank that needs most; none where the law asks for other sizes.
std::optional<double> memory_bytes(const Law& law, int ranks, const NamedSizes& sizes);

}  // namespace cleave::models
