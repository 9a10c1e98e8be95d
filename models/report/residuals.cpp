// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <cleave/trace/median.hpp>

#include "models/report/report.hpp"
#include "models/theory/observations.hpp"

namespace cleave::models {

namespace {

/// Whose fits are functions of a sample's sizes alone.
constexpr std::array<detail::Block, 5> kBlocks = {
    detail::Block::divide, detail::Block::combine, detail::Block::sequential,
    detail::Block::skeleton, detail::Block::partition};

void add_hypercube(std::vector<Residual>& residuals, const HypercubeModel& model,
                   const std::vector<Sample>& all) {
  for (const detail::Block block : kBlocks) {
    const BlockModel* fitted = model.find(block);
    if (fitted == nullptr) {
      continue;
    }
    std::vector<Sample> samples;
    std::ranges::copy_if(all, std::back_inserter(samples),
                         [&](const Sample& sample) { return sample.block == block; });
    for (const Observation& o : observations_of(samples)) {
      residuals.push_back(
          {.block = std::string(name_of(block)),
           .run_sizes = o.run_sizes,
           .measured_s = o.value,
           .relative = (fitted->law.median(o.sizes, o.ranks_per_host) - o.value) / o.value});
    }
  }
}

void add_search(std::vector<Residual>& residuals, const std::vector<SearchRun>& runs,
                const std::vector<JudgedRun>& comparisons) {
  for (const JudgedRun& c : comparisons) {
    const auto run = std::ranges::find_if(runs, [&](const SearchRun& r) {
      return r.ranks == c.run.ranks && r.threads == c.run.threads && r.sizes == c.run.sizes &&
             r.is_rehearsed == c.run.is_rehearsed;
    });
    if (run == runs.end()) {
      continue;
    }
    const double measured = detail::median(run->visits);
    const double search_s = c.prediction.shares.front().seconds;
    residuals.push_back({.block = "search",
                         .run_sizes = c.run.sizes,
                         .measured_s = measured,
                         .relative = (search_s - measured) / measured});
    residuals.push_back({.block = "run",
                         .run_sizes = c.run.sizes,
                         .measured_s = c.measured_s,
                         .relative = c.relative_error});
  }
}

}  // namespace

std::vector<Residual> residuals_of(const Model& model, const Measurements& measurements,
                                   const std::vector<JudgedRun>& comparisons) {
  std::vector<Residual> residuals;
  if (const HypercubeModel* hypercube = model.hypercube()) {
    add_hypercube(residuals, *hypercube, measurements.samples);
  } else if (model.table() != nullptr) {
    for (const JudgedRun& c : comparisons) {
      residuals.push_back({.block = "run",
                           .run_sizes = c.run.sizes,
                           .measured_s = c.measured_s,
                           .relative = c.relative_error});
    }
  } else {
    add_search(residuals, measurements.searches, comparisons);
  }
  return residuals;
}

}  // namespace cleave::models
