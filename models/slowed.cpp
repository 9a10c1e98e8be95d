#include "models/slowed.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cleave {

namespace {

constexpr double kSlowed = 1.08;

bool is_longer(std::int64_t yardstick_ns, std::int64_t shortest_ns) {
  return static_cast<double>(yardstick_ns) > kSlowed * static_cast<double>(shortest_ns);
}

template <class Key>
void keep_shortest(std::map<Key, std::int64_t>& shortest_ns, const Key& key,
                   std::int64_t yardstick_ns) {
  const auto [found, is_new] = shortest_ns.try_emplace(key, yardstick_ns);
  found->second = std::min(found->second, yardstick_ns);
}

}  // namespace

CountedRepetitions::CountedRepetitions(std::span<const Trace> traces, Slowed slowed)
    : slowed_(slowed) {
  const auto for_each_measured = [traces](auto&& take) {
    for (const Trace& trace : traces) {
      for (const Trace::Run& repetition : trace.repetitions) {
        if (repetition.yardstick_ns > 0 && !repetition.warm_up) {
          take(trace, repetition);
        }
      }
    }
  };
  for_each_measured([this](const Trace& trace, const Trace::Run& repetition) {
    keep_shortest(shortest_ns_, cores_of(trace.run), repetition.yardstick_ns);
    keep_shortest(shortest_of_run_ns_, identity_of(trace.run, repetition), repetition.yardstick_ns);
  });
  for_each_measured([this](const Trace& trace, const Trace::Run& repetition) {
    if (!is_slowed(trace, repetition)) {
      free_runs_.insert(identity_of(trace.run, repetition));
    }
  });
  for_each_measured([this](const Trace& trace, const Trace::Run& repetition) {
    ++repetitions_;
    left_out_ += counts(trace, repetition) ? 0 : 1;
  });
}

CountedRepetitions::Cores CountedRepetitions::cores_of(const RunInformation& run) {
  return {run.provenance.host, run.provenance.processor, run.ranks, run.ranks_per_host,
          run.threads};
}

bool CountedRepetitions::is_slowed(const Trace& trace, const Trace::Run& repetition) const {
  return repetition.yardstick_ns > 0 &&
         is_longer(repetition.yardstick_ns, shortest_ns_.at(cores_of(trace.run)));
}

bool CountedRepetitions::counts(const Trace& trace, const Trace::Run& repetition) const {
  if (repetition.warm_up) {
    return false;
  }
  if (slowed_ == Slowed::counted || !is_slowed(trace, repetition)) {
    return true;
  }
  const RunIdentity run = identity_of(trace.run, repetition);
  return !free_runs_.contains(run) &&
         !is_longer(repetition.yardstick_ns, shortest_of_run_ns_.at(run));
}

std::vector<std::string> CountedRepetitions::notes() const {
  std::vector<std::string> notes;
  if (left_out_ > 0) {
    notes.push_back(
        fmt::format("{} of {} repetitions left out: a core was slower then than in other runs",
                    left_out_, repetitions_));
  }
  const std::size_t slowed_runs = shortest_of_run_ns_.size() - free_runs_.size();
  if (slowed_runs > 0 && slowed_ == Slowed::left_out) {
    notes.push_back(fmt::format(
        "{} {} whose every repetition found a core slower than other runs did, fitted all the same",
        slowed_runs, slowed_runs == 1 ? "run" : "runs"));
  }
  return notes;
}

int CountedRepetitions::free_repetitions(const Trace& trace) const {
  return static_cast<int>(
      std::count_if(trace.repetitions.begin(), trace.repetitions.end(),
                    [&](const auto& run) { return !run.warm_up && !is_slowed(trace, run); }));
}

}  // namespace cleave
