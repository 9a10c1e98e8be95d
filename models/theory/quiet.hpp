// SPDX-License-Identifier: Apache-2.0
// Which repetitions show what a run takes when nothing disturbs it, and how sure that is.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <cleave/trace/trace_file.hpp>

#include "models/theory/trace_run.hpp"

namespace cleave::models {

/// The repetitions of some traces that count: of all repetitions of a run size, over all its rounds
/// (traces), the faster half by the time of the whole call. Warm-ups never count.
class QuietRepetitions {
 public:
  explicit QuietRepetitions(std::span<const detail::Trace> traces);

  bool counts(const detail::Trace& trace, const detail::Trace::Run& repetition) const;

  /// Those of `repetition` of a run; the nodes of a search are the median over all of the run's.
  NamedSizes sizes_of(const RunIdentity& run, const detail::Trace::Run& repetition) const;

  /// The chance that a run was disturbed in all its rounds: these agree where nothing disturbs.
  double chance_disturbed(const RunIdentity& run) const;

 private:
  std::map<RunIdentity, std::int64_t> slowest_ns_;  ///< that counts
  std::map<RunIdentity, std::vector<double>> round_medians_s_;
  std::map<RunIdentity, std::int64_t> nodes_;  ///< of searches
};

/// By the medians of the rounds of a run: 0.1 of one round, 0.005 of rounds within 5 %, else 0.2.
double chance_disturbed(const std::vector<double>& round_medians_s);

/// How far the two quickest rounds lie apart, relative; 0 of one round. \pre  not empty
double quickest_rounds_apart(std::vector<double> round_medians_s);

}  // namespace cleave::models
