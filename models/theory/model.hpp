// SPDX-License-Identifier: Apache-2.0
// A model: everything that a prediction needs, as it was fitted to traces and a machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/size_step.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>

#include "models/theory/hypercube_model.hpp"
#include "models/theory/network.hpp"
#include "models/theory/search_model.hpp"
#include "models/theory/verdict.hpp"

namespace cleave::models {

/// Added to the logarithm of a size, of which a law may need a constant below 0; below ln(2^63).
inline constexpr double kLogShift = 43;

/// A block, or a part of a search, that could not be fitted, and why.
struct RefusedBlock {
  detail::Block block = detail::Block::sequential;
  std::string reason;
};

/// A run that a model was fitted to, or that was held out of the fit to test it.
struct RunOfModel {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  int ranks_per_host = 1;
  NamedSizes sizes;
  std::vector<std::string> files;
};

/// The time of a whole run of which only the sizes are known; the number of ranks is one of them.
struct TableModel {
  Law law;
  int rows = 0;  ///< run sizes that it was fitted to
};

struct Model {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;  ///< of a rank; 1 for work stealing where runs differ in it
  std::map<std::string, std::string> options;
  std::vector<std::int64_t> cache_bytes;  ///< of the host of the traces (Provenance)
  int cores = 0;                          ///< of that host; 0 where it is not known
  std::set<std::string> given_sizes;      ///< Measurements::given_sizes
  SizeSteps steps;                        ///< of the program's sizes

  std::string forms;          ///< how terms were decided: "auto" or "paper"
  std::vector<Curve> curves;  ///< that the application declares

  std::variant<HypercubeModel, SearchModel, TableModel> parts;
  std::vector<RefusedBlock> refused;
  Network network;
  /// Sizes of the runs that they were not given, each by kLogShift + its logarithm, of what they
  /// were given. None where that is the same in all runs.
  std::map<std::string, Law> log_sizes;
  /// Bytes of a rank (memory.hpp); none where the traces do not determine it.
  std::optional<Law> memory;
  /// What the host does on top: elapsed / predicted quiet time of all repetitions of the fitted
  /// runs, ascending, by number of ranks.
  std::map<int, std::vector<double>> noise;
  Verdict verdict;

  std::vector<RunOfModel> fitted;
  std::vector<RunOfModel> held_out;
  std::vector<std::string> notes;
  detail::Provenance provenance;

  const HypercubeModel* hypercube() const { return std::get_if<HypercubeModel>(&parts); }
  const SearchModel* search() const { return std::get_if<SearchModel>(&parts); }
  const TableModel* table() const { return std::get_if<TableModel>(&parts); }

  /// The least and the most that were fitted.
  int min_ranks() const;
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
  /// Whether `run` is one of `fitted`.
  bool is_fitted_to(const RunPoint& run) const;
  /// Names of the sizes that predictions need, in alphabetical order.
  std::vector<std::string> size_names() const;
  /// Its least and most in the fitted runs; none where no run has this size.
  std::optional<std::pair<std::int64_t, std::int64_t>> fitted_range(const std::string& name) const;
  /// log2 of how far the sizes lie beyond the largest fitted one of each name, or below the least:
  /// the most of all names; 0 inside.
  double doublings_outside(const NamedSizes& sizes) const;
};

}  // namespace cleave::models
