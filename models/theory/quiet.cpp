// SPDX-License-Identifier: Apache-2.0
#include "models/theory/quiet.hpp"

#include <algorithm>

#include <cleave/trace/median.hpp>

namespace cleave::models {

namespace {

/// The median; of an even number the lower of the two in the middle. \pre  not empty
std::int64_t lower_median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + (std::ssize(values) + 1) / 2 - 1;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

QuietRepetitions::QuietRepetitions(std::span<const detail::Trace> traces) {
  std::map<RunIdentity, std::vector<std::int64_t>> elapsed_ns;
  std::map<RunIdentity, std::vector<std::int64_t>> nodes;
  for (const detail::Trace& trace : traces) {
    std::map<RunIdentity, std::vector<double>> round;
    for (const detail::Trace::Run& repetition : trace.repetitions) {
      if (!repetition.warm_up) {
        const RunIdentity run = identity_of(trace.run, repetition);
        elapsed_ns[run].push_back(repetition.elapsed_ns);
        round[run].push_back(seconds_of(repetition.elapsed_ns));
        if (const auto of = repetition.sizes.find("nodes");
            of != repetition.sizes.end() && searches_one_problem(trace.run)) {
          nodes[run].push_back(of->second);
        }
      }
    }
    for (auto& [run, seconds] : round) {
      round_medians_s_[run].push_back(detail::median(std::move(seconds)));
    }
  }
  for (auto& [run, all] : elapsed_ns) {
    slowest_ns_[run] = lower_median(std::move(all));
  }
  for (auto& [run, all] : nodes) {
    nodes_[run] = lower_median(std::move(all));
  }
}

NamedSizes QuietRepetitions::sizes_of(const RunIdentity& run,
                                      const detail::Trace::Run& repetition) const {
  NamedSizes sizes = repetition.sizes;
  if (const auto nodes = nodes_.find(run); nodes != nodes_.end()) {
    sizes["nodes"] = nodes->second;
  }
  return sizes;
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
