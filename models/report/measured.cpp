// SPDX-License-Identifier: Apache-2.0
#include "models/report/measured.hpp"

#include <algorithm>
#include <set>

#include <cleave/trace/median.hpp>

#include "models/theory/statistics.hpp"

namespace cleave::models {

std::map<RunKey, std::map<detail::Block, double>> measured_blocks(
    const Measurements& measurements) {
  std::map<RunKey, std::map<std::pair<detail::Block, int>, double>> longest;
  for (const Sample& sample : measurements.samples) {
    double& of_level = longest[{sample.ranks, sample.run_sizes}][{sample.block, sample.level}];
    of_level = std::max(of_level, detail::median(sample.seconds));
  }
  std::map<RunKey, std::map<detail::Block, double>> blocks;
  for (const auto& [run, levels] : longest) {
    for (const auto& [place, of_level] : levels) {
      blocks[run][place.first] += of_level;
    }
  }
  return blocks;
}

std::map<detail::Block, double> largest_shares(const Measurements& measurements) {
  const auto blocks = measured_blocks(measurements);
  std::map<detail::Block, double> shares;
  for (const RunPoint& point : measurements.points) {
    const auto of_run = blocks.find({point.ranks, point.sizes});
    if (of_run == blocks.end()) {
      continue;
    }
    const double total = quiet_time(point.seconds);
    for (const auto& [block, of_block] : of_run->second) {
      double& share = shares[block];
      share = std::max(share, total > 0 ? of_block / total : 0);
    }
  }
  return shares;
}

std::vector<std::string> size_names(const std::vector<JudgedRun>& comparisons) {
  std::set<std::string> names;
  for (const JudgedRun& c : comparisons) {
    for (const auto& [name, value] : c.run.sizes) {
      names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::int64_t size_or_zero(const NamedSizes& sizes, const std::string& name) {
  const auto found = sizes.find(name);
  return found == sizes.end() ? 0 : found->second;
}

}  // namespace cleave::models
