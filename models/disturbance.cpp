#include "models/disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cleave {

namespace {

constexpr int kSteps = 100;

/// Of a Poisson distribution, to within 0.03 of the number that it is rounded down from.
double median_of_poisson(double mean) {
  return mean > 0 ? std::max(0.0, std::floor(mean + 1.0 / 3 - 0.02 / mean)) : 0;
}

}  // namespace

double Disturbances::draw(double seconds, std::mt19937_64& random) const {
  if (lengths.empty() || per_second <= 0 || seconds <= 0) {
    return 0;
  }
  const double expected = per_second * seconds;
  const auto count = static_cast<double>(lengths.size());
  const double mean_length = std::accumulate(lengths.begin(), lengths.end(), 0.0) / count;
  constexpr double kMany = 50;  // then they are normal
  if (expected > kMany) {
    const double squares =
        std::inner_product(lengths.begin(), lengths.end(), lengths.begin(), 0.0) / count;
    return std::normal_distribution<double>(0, std::sqrt(expected * squares))(random);
  }
  std::exponential_distribution<double> until_next(per_second);
  std::uniform_int_distribution<std::size_t> which(0, lengths.size() - 1);
  double sum = 0;
  for (double at = until_next(random); at < seconds; at += until_next(random)) {
    sum += lengths[which(random)];
  }
  return sum - median_of_poisson(expected) * mean_length;
}

Disturbances fit_disturbances(const std::vector<DisturbedTime>& times) {
  std::vector<const DisturbedTime*> by_visible;
  std::vector<double> lengths;
  for (const DisturbedTime& time : times) {
    by_visible.push_back(&time);
    if (time.measured_s - time.expected_s > time.visible_s) {
      lengths.push_back(time.measured_s - time.expected_s);
    }
  }
  if (lengths.empty()) {
    return {};
  }
  std::sort(by_visible.begin(), by_visible.end(),
            [](const auto* a, const auto* b) { return a->visible_s < b->visible_s; });
  std::sort(lengths.begin(), lengths.end());
  std::vector<double> rate_up_to;  // per second, of lengths up to this one
  double rate = 0;
  double watched_s = 0;
  auto next = by_visible.begin();
  for (const double length : lengths) {
    for (; next != by_visible.end() && (*next)->visible_s < length; ++next) {
      watched_s += (*next)->expected_s;
    }
    rate += watched_s > 0 ? 1 / watched_s : 0;
    rate_up_to.push_back(rate);
  }
  Disturbances disturbances{.per_second = rate};
  for (int i = 0; i <= kSteps; ++i) {
    const auto found = std::lower_bound(rate_up_to.begin(), rate_up_to.end(), rate * i / kSteps);
    const auto place = std::min<std::ptrdiff_t>(found - rate_up_to.begin(), std::ssize(lengths) - 1);
    disturbances.lengths.push_back(lengths[static_cast<std::size_t>(place)]);
  }
  return disturbances;
}

}  // namespace cleave
