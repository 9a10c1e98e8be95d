// SPDX-License-Identifier: Apache-2.0
#include "models/theory/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <cleave/trace/median.hpp>

#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// At most `most` of the values, evenly from first to last.
template <class Value>
std::vector<Value> thinned(std::vector<Value> values, std::size_t most) {
  if (values.size() <= most) {
    return values;
  }
  std::vector<Value> kept;
  for (std::size_t i = 0; i < most; ++i) {
    kept.push_back(std::move(values[i * (values.size() - 1) / (most - 1)]));
  }
  return kept;
}

Noise::Length length_of(const std::vector<NoisyTime>& times) {
  constexpr std::size_t kRepetitions = 64;
  constexpr std::size_t kTimes = 16;
  std::map<std::pair<int, int>, std::vector<double>> by_repetition;
  std::vector<double> typical;
  for (const NoisyTime& time : times) {
    by_repetition[{time.run, time.repetition}].push_back(time.measured_s / time.typical_s);
    typical.push_back(time.typical_s);
  }
  Noise::Length length{.typical_s = detail::median(std::move(typical))};
  for (auto& [of, ratios] : by_repetition) {
    std::ranges::sort(ratios);
    length.repetitions.push_back(std::move(ratios));
  }
  std::ranges::sort(length.repetitions, {}, mean_of);
  length.repetitions = thinned(std::move(length.repetitions), kRepetitions);
  for (std::vector<double>& ratios : length.repetitions) {
    ratios = thinned(std::move(ratios), kTimes);
  }
  return length;
}

}  // namespace

Noise Noise::of(std::vector<NoisyTime> times) {
  constexpr double kFactor = 4;
  std::erase_if(times, [](const NoisyTime& time) { return !(time.typical_s > 0); });
  std::map<int, std::vector<NoisyTime>> by_length;
  for (const NoisyTime& time : times) {
    const double power = std::log(time.typical_s) / std::log(kFactor);
    by_length[static_cast<int>(std::floor(power))].push_back(time);
  }
  std::vector<Length> lengths;
  for (const auto& [power, of_length] : by_length) {
    lengths.push_back(length_of(of_length));
  }
  return Noise(std::move(lengths));
}

Noise::Noise(std::vector<Length> lengths) : lengths_(std::move(lengths)) {
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    upper_s_.push_back(i + 1 < lengths_.size()
                           ? std::sqrt(lengths_[i].typical_s) * std::sqrt(lengths_[i + 1].typical_s)
                           : std::numeric_limits<double>::infinity());
  }
}

Noise::Times Noise::times_of(double seconds) const {
  Times times;
  times.seconds_ = seconds;
  if (!lengths_.empty() && seconds > 0) {
    std::size_t nearest = 0;
    while (seconds > upper_s_[nearest]) {
      ++nearest;
    }
    times.length_ = &lengths_[nearest];
    times.is_shortest_ = seconds < lengths_.front().typical_s;
  }
  return times;
}

double Noise::Times::draw(double slowness, std::mt19937_64& random) const {
  if (length_ == nullptr) {
    return seconds_;
  }
  const auto count = static_cast<double>(length_->repetitions.size());
  const auto repetition = static_cast<std::size_t>(std::min(slowness * count, count - 1));
  const std::vector<double>& ratios = length_->repetitions[repetition];
  const double ratio = ratios[(random() >> 32) * ratios.size() >> 32];
  if (is_shortest_) {
    return std::max(0.0, seconds_ + (ratio - 1) * (ratio > 1 ? length_->typical_s : seconds_));
  }
  return seconds_ * ratio;
}

}  // namespace cleave::models
