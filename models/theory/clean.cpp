// SPDX-License-Identifier: Apache-2.0
#include "models/theory/clean.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

namespace {

constexpr double kThrottled = 1.08;

bool is_longer(std::int64_t probe_ns, std::int64_t shortest_ns) {
  return static_cast<double>(probe_ns) > kThrottled * static_cast<double>(shortest_ns);
}

template <class Key>
void keep_shortest(std::map<Key, std::int64_t>& shortest_ns, const Key& key,
                   std::int64_t probe_ns) {
  const auto [found, is_new] = shortest_ns.try_emplace(key, probe_ns);
  found->second = std::min(found->second, probe_ns);
}

}  // namespace

CountedRepetitions::CountedRepetitions(std::span<const detail::Trace> traces, Throttled throttled)
    : throttled_(throttled) {
  const auto for_each_measured = [traces](auto&& take) {
    for (const detail::Trace& trace : traces) {
      for (const detail::Trace::Run& repetition : trace.repetitions) {
        if (repetition.probe_ns > 0 && !repetition.warm_up) {
          take(trace, repetition);
        }
      }
    }
  };
  for_each_measured([this](const detail::Trace& trace, const detail::Trace::Run& repetition) {
    keep_shortest(shortest_ns_, cores_of(trace.run), repetition.probe_ns);
    keep_shortest(shortest_of_run_ns_, identity_of(trace.run, repetition), repetition.probe_ns);
  });
  for_each_measured([this](const detail::Trace& trace, const detail::Trace::Run& repetition) {
    if (!is_throttled(trace, repetition)) {
      free_runs_.insert(identity_of(trace.run, repetition));
    }
  });
  for_each_measured([this](const detail::Trace& trace, const detail::Trace::Run& repetition) {
    ++repetitions_;
    left_out_ += counts(trace, repetition) ? 0 : 1;
  });
}

CountedRepetitions::Cores CountedRepetitions::cores_of(const RunInformation& run) {
  return {run.provenance.host, run.provenance.processor, run.ranks, run.ranks_per_host,
          run.threads};
}

bool CountedRepetitions::is_throttled(const detail::Trace& trace,
                                      const detail::Trace::Run& repetition) const {
  return repetition.probe_ns > 0 &&
         is_longer(repetition.probe_ns, shortest_ns_.at(cores_of(trace.run)));
}

bool CountedRepetitions::counts(const detail::Trace& trace,
                                const detail::Trace::Run& repetition) const {
  if (repetition.warm_up) {
    return false;
  }
  if (throttled_ == Throttled::counted || !is_throttled(trace, repetition)) {
    return true;
  }
  const RunIdentity run = identity_of(trace.run, repetition);
  return !free_runs_.contains(run) && !is_longer(repetition.probe_ns, shortest_of_run_ns_.at(run));
}

std::vector<std::string> CountedRepetitions::notes() const {
  std::vector<std::string> notes;
  if (left_out_ > 0) {
    notes.push_back(
        fmt::format("{} of {} repetitions left out: a core was slower then than in other runs",
                    left_out_, repetitions_));
  }
  const std::size_t throttled_runs = shortest_of_run_ns_.size() - free_runs_.size();
  if (throttled_runs > 0 && throttled_ == Throttled::left_out) {
    notes.push_back(
        fmt::format("{} {} whose every repetition found a core slower than other runs did, fitted "
                    "all the same: "
                    "measure them again on an idle machine",
                    throttled_runs, throttled_runs == 1 ? "run" : "runs"));
  }
  return notes;
}

int CountedRepetitions::free_repetitions(const detail::Trace& trace) const {
  return static_cast<int>(
      std::count_if(trace.repetitions.begin(), trace.repetitions.end(),
                    [&](const auto& run) { return !run.warm_up && !is_throttled(trace, run); }));
}

}  // namespace cleave::models
