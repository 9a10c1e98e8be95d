// A model: everything that a prediction needs, as it was fitted to traces and a machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/block_fit.hpp"
#include "models/communication.hpp"
#include "models/samples.hpp"
#include "models/shrinkage.hpp"
#include "skeleton/trace/provenance.hpp"

namespace cleave {

/// The time of one block where `ranks_per_host` ranks of a host compute at once: they share its
/// memory, so more of them are slower per element.
struct BlockModel {
  Block block = Block::sequential;
  int ranks_per_host = 1;
  BlockFit fit;  ///< of the median time of one rank
  /// What the slowest rank of one repetition takes, relative to the largest of these medians: the
  /// max_i of equation 6, since it is rarely the same rank that is slow.
  double slowest_rank = 1;
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
  NamedSizes sizes;
  std::vector<std::string> files;
};

struct Model {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;
  std::map<std::string, std::string> options;

  std::string forms;  ///< how terms were decided: "auto" or "paper"
  Weights weights = Weights::relative;

  /// Blocks of a group that is divided further, and of a rank on its own.
  std::vector<Block> inner_blocks;
  std::vector<Block> leaf_blocks;
  std::vector<BlockModel> blocks;
  std::vector<RefusedBlock> refused;
  std::vector<Shrinkage> shrinkage;

  LatencyGaps latency_gaps;
  std::vector<ExchangeModel> exchange;  ///< one, or none where the traces show no exchange

  std::vector<RunOfModel> fitted;
  std::vector<RunOfModel> held_out;
  std::vector<std::string> notes;
  Provenance provenance;

  /// The largest number of ranks per host, and of ranks, that the fit has seen.
  int most_ranks_per_host() const;
  int most_ranks() const;

  /// Names of the sizes that predictions need, in alphabetical order.
  std::vector<std::string> size_names() const;
};

}  // namespace cleave
