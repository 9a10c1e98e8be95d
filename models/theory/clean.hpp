// SPDX-License-Identifier: Apache-2.0
// Repetitions that were timed while a core was slower than at other times. While the program of
// another virtual machine has the core's other thread, all that is computed takes up to twice as
// long, for seconds. Traces tell by the probe (trace/probe.hpp).
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/trace/trace_file.hpp>

#include "models/theory/trace_run.hpp"

namespace cleave::models {

/// What becomes of throttled repetitions.
enum class Throttled {
  left_out,  ///< where the same run has others
  counted,
};

/// Which repetitions of some traces count, that is, are fitted and compared with.
///
/// Repetitions are throttled whose probe is more than 8 % longer than the shortest of all runs of
/// as many ranks and threads on that host. What computes freely varies by half of that with the
/// clock of its core. Of a run, in all traces together, that has only such, those count that are
/// within 8 % of its own shortest. Warm-ups never count; what has no probe is not throttled.
class CountedRepetitions {
 public:
  explicit CountedRepetitions(std::span<const detail::Trace> traces,
                              Throttled throttled = Throttled::left_out);

  bool counts(const detail::Trace& trace, const detail::Trace::Run& repetition) const;

  /// What was left out, and which runs are throttled all the same, in sentences.
  std::vector<std::string> notes() const;

  /// Of the repetitions of `trace` that are no warm-ups, those that are not throttled.
  int free_repetitions(const detail::Trace& trace) const;

 private:
  /// Host, processor, ranks, ranks per host, threads: what one probe is for.
  using Cores = std::tuple<std::string, std::string, int, int, int>;

  static Cores cores_of(const RunInformation& run);
  bool is_throttled(const detail::Trace& trace, const detail::Trace::Run& repetition) const;

  Throttled throttled_;
  std::map<Cores, std::int64_t> shortest_ns_;
  std::map<RunIdentity, std::int64_t> shortest_of_run_ns_;
  std::set<RunIdentity> free_runs_;  ///< of which some repetition was not throttled
  int repetitions_ = 0;
  int left_out_ = 0;
};

}  // namespace cleave::models
