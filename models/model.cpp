// SPDX-License-Identifier: Apache-2.0
#include "models/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/files.hpp"

namespace cleave::models {

int Model::max_ranks_per_host() const {
  int maximum = 1;
  for (const BlockModel& block : blocks) {
    maximum = std::max(maximum, block.ranks_per_host);
  }
  return maximum;
}

int Model::max_ranks() const {
  int maximum = 1;
  for (const RunOfModel& run : fitted) {
    maximum = std::max(maximum, run.ranks);
  }
  return maximum;
}

const BlockModel& Model::block_model(Block block, int ranks_per_host) const {
  const BlockModel* best = nullptr;
  for (const BlockModel& candidate : blocks) {
    if (candidate.block != block) {
      continue;
    }
    if (candidate.ranks_per_host == ranks_per_host) {
      return candidate;
    }
    if (best == nullptr || candidate.ranks_per_host > best->ranks_per_host) {
      best = &candidate;
    }
  }
  if (best == nullptr) {
    throw Error(fmt::format("{} cannot be predicted: {}", name_of(block), reason_of(block)));
  }
  return *best;
}

std::string Model::reason_of(Block block) const {
  for (const RefusedBlock& of_block : refused) {
    if (of_block.block == block) {
      return of_block.reason;
    }
  }
  return "the traces show none";
}

bool Model::is_fitted_to(const RunPoint& run) const {
  return std::ranges::any_of(fitted, [&](const RunOfModel& other) {
    return other.ranks == run.ranks && other.threads == run.threads && other.sizes == run.sizes;
  });
}

bool Model::path_is_closer() const {
  return critical_path && sum_of_maxima &&
         critical_path->median_abs_error < sum_of_maxima->median_abs_error;
}

double Model::run_variance(const std::optional<CompositionErrors>& errors, int ranks,
                           double seconds, double known) const {
  const double of_run = errors ? errors->deviation * seconds : 0;
  const double doublings = std::max(0.0, std::log2(static_cast<double>(ranks) / max_ranks()));
  const double of_doublings = deviation_per_doubling * std::sqrt(doublings) * seconds;
  const double of_drift = drift_per_doubling * doublings * seconds;
  return std::max(0.0, of_run * of_run - known) + of_doublings * of_doublings + of_drift * of_drift;
}

std::vector<std::string> Model::size_names() const {
  std::set<std::string> names;
  const auto is_of_runs = [&](const std::string& name) {
    return std::any_of(fitted.begin(), fitted.end(),
                       [&](const RunOfModel& run) { return run.sizes.contains(name); });
  };
  const auto add_sizes = [&](const Form& form) {
    for (const Basis& term : form) {
      std::ranges::copy_if(term.sizes(), std::inserter(names, names.end()), is_of_runs);
    }
  };
  for (const BlockModel& block : blocks) {
    for (const std::string& name : names_in(block.fit.over)) {
      if (is_of_runs(name)) {
        names.insert(name);
      }
    }
    for (const BlockFit& segment : block.fit.segments) {
      add_sizes(segment.form);
    }
  }
  for (const ExchangeModel& moved : exchange) {
    add_sizes(moved.bytes.form);
  }
  return {names.begin(), names.end()};
}

}  // namespace cleave::models
