// SPDX-License-Identifier: Apache-2.0
#include "models/theory/quiet.hpp"

#include <algorithm>

#include <cleave/trace/median.hpp>

namespace cleave::models {

QuietRepetitions::QuietRepetitions(std::span<const detail::Trace> traces) {
  std::map<RunIdentity, std::vector<std::int64_t>> elapsed_ns;
  for (const detail::Trace& trace : traces) {
    std::map<RunIdentity, std::vector<double>> round;
    for (const detail::Trace::Run& repetition : trace.repetitions) {
      if (!repetition.warm_up) {
        const RunIdentity run = identity_of(trace.run, repetition);
        elapsed_ns[run].push_back(repetition.elapsed_ns);
        round[run].push_back(seconds_of(repetition.elapsed_ns));
      }
    }
    for (auto& [run, seconds] : round) {
      round_medians_s_[run].push_back(detail::median(std::move(seconds)));
    }
  }
  for (auto& [run, all] : elapsed_ns) {
    const auto last = all.begin() + (std::ssize(all) + 1) / 2 - 1;
    std::nth_element(all.begin(), last, all.end());
    slowest_ns_[run] = *last;
  }
}

bool QuietRepetitions::counts(const detail::Trace& trace,
                              const detail::Trace::Run& repetition) const {
  return !repetition.warm_up &&
         repetition.elapsed_ns <= slowest_ns_.at(identity_of(trace.run, repetition));
}

double QuietRepetitions::chance_disturbed(const RunIdentity& run) const {
  return models::chance_disturbed(round_medians_s_.at(run));
}

double chance_disturbed(const std::vector<double>& round_medians_s) {
  constexpr double kAgree = 1.05;
  if (round_medians_s.size() < 2) {
    return 0.1;
  }
  const auto [least, most] = std::ranges::minmax(round_medians_s);
  return most < kAgree * least ? 0.005 : 0.2;
}

double quickest_rounds_apart(std::vector<double> round_medians_s) {
  if (round_medians_s.size() < 2) {
    return 0;
  }
  std::ranges::sort(round_medians_s);
  return round_medians_s[0] > 0 ? round_medians_s[1] / round_medians_s[0] - 1 : 0;
}

}  // namespace cleave::models
