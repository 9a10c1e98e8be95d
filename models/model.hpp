// SPDX-License-Identifier: Apache-2.0
// A model: everything that a prediction needs, as it was fitted to traces and a machine.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/block_fit.hpp"
#include "models/communication.hpp"
#include "models/files.hpp"
#include "models/os_noise.hpp"
#include "models/samples.hpp"
#include "models/scaling.hpp"
#include "models/stealing.hpp"

namespace cleave::models {

/// The time of one block where `ranks_per_host` ranks of a host compute at once: they share its
/// memory, so more of them are slower per element.
struct BlockModel {
  Block block = Block::sequential;
  int ranks_per_host = 1;
  SegmentedFit fit;  ///< of the time of one rank
  /// What the slowest rank of one repetition takes, relative to the largest of these medians: the
  /// max_i of equation 6, since it is rarely the same rank that is slow.
  double slowest_rank = 1;
  /// Relative deviation of one repetition from the median of its rank and level.
  double repetition_deviation = 0;
  /// How many times as long as the typical one of its level a block on one rank takes once what its
  /// sizes explain is taken away, without disturbed repetitions: quantiles at equal steps from the
  /// least to the most. Empty where nothing was repeated.
  std::vector<double> noise;
  std::vector<Sample> samples;  ///< that it was fitted to
};

/// A block that could not be fitted, and why.
struct RefusedBlock {
  Block block = Block::sequential;
  int ranks_per_host = 1;
  std::string reason;
};

/// A run that a model was fitted to, or that was held out of the fit to test it.
struct RunOfModel {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  NamedSizes sizes;
  std::vector<std::string> files;
};

/// How close a way of composing block times came to the runs that were fitted.
struct CompositionErrors {
  double median_abs_error = 0;  ///< relative, of the medians of runs
  double deviation = 0;         ///< relative, of a single repetition from what is predicted
};

struct Model {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;  ///< of a rank; 1 for work stealing where runs differ in it
  std::map<std::string, std::string> options;
  std::vector<std::int64_t> cache_bytes;  ///< of the host of the traces (Provenance)
  std::set<std::string> given_sizes;      ///< Measurements::given_sizes

  std::string forms;  ///< how terms were decided: "auto" or "paper"
  Weights weights = Weights::relative;

  /// Blocks of a group that is divided further, and of a rank on its own.
  std::vector<Block> inner_blocks;
  std::vector<Block> leaf_blocks;
  std::vector<BlockModel> blocks;
  std::vector<RefusedBlock> refused;
  std::vector<Scaling> scaling;

  std::vector<OsNoise> os_noise;  ///< of a rank's computation, besides its blocks' noise

  LatencyGaps latency_gaps;
  std::vector<ExchangeModel> exchange;  ///< one, or none where the traces show no exchange

  /// What a search by work stealing takes beside its nodes; none of other types.
  std::optional<StealingModel> stealing;

  /// Bytes of a rank (models/memory.hpp); none where the traces do not determine it.
  std::optional<BlockFit> memory;

  /// Equation 6 and the critical path; none where no run or no graph could be predicted.
  std::optional<CompositionErrors> sum_of_maxima;
  std::optional<CompositionErrors> critical_path;
  /// Of runs on more ranks than those fitted; 0 where fewer than three numbers of ranks were
  /// measured. Relative deviation for each doubling, by chance, which a fit without the runs on the
  /// most ranks finds of these; and by how much more runs are missed with each doubling, all alike.
  double deviation_per_doubling = 0;
  double drift_per_doubling = 0;

  std::vector<RunOfModel> fitted;
  std::vector<RunOfModel> held_out;
  std::vector<std::string> notes;
  Provenance provenance;

  /// The largest number of ranks per host, and of ranks, that the fit has seen.
  int max_ranks_per_host() const;
  int max_ranks() const;

  /// The fit of `block` with `ranks_per_host`, else with the most that were measured.
  /// \throws Error  with the reason if there is none
  const BlockModel& block_model(Block block, int ranks_per_host) const;
  /// Why `block` cannot be predicted.
  std::string reason_of(Block block) const;

  /// Whether `run` is one of `fitted`.
  bool is_fitted_to(const RunPoint& run) const;
  /// Whether the critical path came closer to the fitted runs than equation 6.
  bool path_is_closer() const;
  /// What `errors`, and more ranks than were measured, add to the variance of a predicted time,
  /// beyond the `known` variance.
  double run_variance(const std::optional<CompositionErrors>& errors, int ranks, double seconds,
                      double known) const;

  /// Names of the sizes that predictions need, in alphabetical order.
  std::vector<std::string> size_names() const;
};

}  // namespace cleave::models
