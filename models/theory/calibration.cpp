// SPDX-License-Identifier: Apache-2.0
#include "models/theory/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <cleave/trace/median.hpp>

#include "models/theory/hold_out.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

using IsKept = std::function<bool(int ranks, const NamedSizes& sizes)>;

Measurements only(Measurements all, const IsKept& is_kept) {
  std::erase_if(all.points, [&](const RunPoint& p) { return !is_kept(p.ranks, p.sizes); });
  std::erase_if(all.samples, [&](const Sample& s) { return !is_kept(s.ranks, s.run_sizes); });
  std::erase_if(all.searches, [&](const SearchRun& r) { return !is_kept(r.ranks, r.sizes); });
  return all;
}

std::size_t count_sizes(const Measurements& measurements) {
  std::set<NamedSizes> sizes;
  for (const RunPoint& point : measurements.points) {
    sizes.insert(point.sizes);
  }
  return sizes.size();
}

/// How far `run` is off beyond what the draws of `model` say, for each doubling that it lies beyond
/// the model.
double score(const Model& model, const RunPoint& run) {
  const std::vector<double> draws = draws_of(model, run);
  const double middle = detail::median(draws);
  const double error = std::log(detail::median(run.seconds) / middle);
  const double half_width = std::log(quantile(draws, error > 0 ? 0.975 : 0.025) / middle);
  const double doublings =
      std::max(0.0, std::log2(static_cast<double>(run.ranks) / model.max_ranks())) +
      model.doublings_outside(run.sizes);
  return std::sqrt(std::max(0.0, error * error - half_width * half_width) / (1 + doublings));
}

}  // namespace

IntervalCalibration calibrate(const Measurements& measurements, const Refit& refit) {
  constexpr std::size_t kFewestSizes = 3;  // that a fit is worth a look with
  std::vector<double> scores;
  const auto look_at = [&](const IsKept& is_kept) {
    const Measurements kept = only(measurements, is_kept);
    if (count_sizes(kept) < kFewestSizes || kept.points.size() == measurements.points.size()) {
      return;
    }
    const Model model = refit(kept);
    for (const RunPoint& point : measurements.points) {
      if (is_kept(point.ranks, point.sizes) || !(detail::median(point.seconds) > 0)) {
        continue;
      }
      try {
        const double of_run = score(model, point);
        if (std::isfinite(of_run)) {
          scores.push_back(of_run);
        }
      } catch (const Error&) {
        continue;  // a block that fewer runs do not determine
      }
    }
  };
  for (const HoldOut hold_out : {HoldOut::beyond_third, HoldOut::every_second}) {
    const std::vector<NamedSizes> held_out = held_out_sizes(measurements.points, hold_out);
    const std::set<NamedSizes> left_out(held_out.begin(), held_out.end());
    look_at([&](int /*ranks*/, const NamedSizes& sizes) { return !left_out.contains(sizes); });
    if (hold_out == HoldOut::every_second) {
      look_at([&](int /*ranks*/, const NamedSizes& sizes) { return left_out.contains(sizes); });
    }
  }
  std::set<int> ranks;
  for (const RunPoint& point : measurements.points) {
    ranks.insert(point.ranks);
  }
  if (ranks.size() > 2) {
    look_at([&](int of_run, const NamedSizes& /*sizes*/) { return of_run < *ranks.rbegin(); });
  }
  if (scores.empty()) {
    return {};
  }
  // Of n scores the one that is larger than 95 % of those and a next one.
  std::ranges::sort(scores);
  const auto n = static_cast<double>(scores.size());
  const auto place = static_cast<std::size_t>(std::min(std::ceil(0.95 * (n + 1)), n)) - 1;
  return {.error = scores[place], .runs = static_cast<int>(scores.size())};
}

}  // namespace cleave::models
