// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <cleave/program/remaining.hpp>

namespace cleave::detail {

namespace {

// What is taken as long as little is known; tests/skeleton/program/remaining_test.cpp draws works
// that these must do for.
constexpr double kPriorDeviation = 0.15;  ///< of steps of one kind
constexpr double kPriorFreedom = 3;       ///< deviations that it counts as
constexpr double kPriorScatter = 0.25;    ///< of kinds about the line over weights
constexpr double kPriorSlopeDeviation = 0.3;
constexpr double kDrift = 0.05;  ///< of a machine, between what is done and what is to come

double square(double x) { return x * x; }

/// The 97.5 % point of Student's t, by the expansion of Cornish and Fisher; to 4 % from 3 on.
double student_t(double freedom) {
  constexpr double z = 1.959964;
  const double z3 = z * z * z;
  return z + (z3 + z) / (4 * freedom) +
         (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

Range range_of(double mean, double variance, double freedom) {
  if (mean <= 0) {
    return {0, student_t(freedom) * std::sqrt(std::max(variance, 0.0))};
  }
  const double deviation = std::sqrt(std::log1p(variance / square(mean)));
  const double factor = std::exp(student_t(std::max(freedom, 1.0)) * deviation);
  return {mean / factor, mean * factor};
}

/// A sum of times: its mean and its variance.
struct Steps::Sum {
  double mean_s = 0;
  double variance = 0;
};

/// What the steps that are done say of others.
class Steps::Judge {
 public:
  explicit Judge(const std::map<int, Done>& done) : done_(done) {
    pool();
    fit_line();
  }

  bool knows(int kind) const { return done_.contains(kind); }
  bool knows_any() const { return on_line_ > 0; }
  double freedom() const { return kPriorFreedom + freedom_; }

  /// One step of `kind`.
  double seconds_of(const Step& step) const {
    return knows(step.kind) ? mean(done_.at(step.kind).seconds)
                            : std::exp(level_ + slope_ * std::log(step.weight));
  }

  /// Steps of a kind of which some are done: chance in each, and in the mean they are judged by.
  Sum of_known(int kind, double count) const {
    const std::vector<double>& seconds = done_.at(kind).seconds;
    const double one = mean(seconds);
    const auto n = static_cast<double>(seconds.size());
    return {.mean_s = count * one,
            .variance = square(deviation_ * one) * (count + square(count) / n)};
  }

  /// Steps on the line over weights: its level and slope are wrong for all of them together.
  Sum of_unknown(const std::vector<Step>& steps) const {
    Sum sum;
    double leverage = 0;
    for (const Step& step : steps) {
      const double one = seconds_of(step);
      sum.mean_s += one;
      sum.variance += square(one) * (square(deviation_) + square(scatter_));
      leverage += one * (std::log(step.weight) - middle_);
    }
    sum.variance += square(scatter_ * sum.mean_s) / std::max(on_line_, 1.0);
    sum.variance += square(leverage) * slope_variance_;
    return sum;
  }

 private:
  void pool() {
    double squares = 0;
    for (const auto& [kind, done] : done_) {
      const double of_kind = mean(done.seconds);
      for (const double seconds : done.seconds) {
        squares += of_kind > 0 ? square(seconds / of_kind - 1) : 0;
      }
      freedom_ += static_cast<double>(done.seconds.size() - 1);
    }
    deviation_ =
        std::sqrt((kPriorFreedom * square(kPriorDeviation) + squares) / (kPriorFreedom + freedom_));
  }

  void fit_line() {
    std::vector<std::pair<double, double>> points;  // logarithms of weight and time
    for (const auto& [kind, done] : done_) {
      if (done.has_weight) {
        points.emplace_back(std::log(done.weight), std::log(std::max(mean(done.seconds), 1e-9)));
      }
    }
    if (points.empty()) {
      return;
    }
    on_line_ = static_cast<double>(points.size());
    double middle_of_logs = 0;
    for (const auto& [weight, time] : points) {
      middle_ += weight / on_line_;
      middle_of_logs += time / on_line_;
    }
    double across = 0;
    double along = 0;
    for (const auto& [weight, time] : points) {
      across += (weight - middle_) * (time - middle_of_logs);
      along += square(weight - middle_);
    }
    const double of_prior = square(kPriorScatter / kPriorSlopeDeviation);
    slope_ = (across + of_prior) / (along + of_prior);
    level_ = middle_of_logs - slope_ * middle_;
    double squares = 0;
    for (const auto& [weight, time] : points) {
      squares += square(time - level_ - slope_ * weight);
    }
    const double freedom = std::max(on_line_ - 2, 0.0);
    scatter_ =
        std::sqrt((kPriorFreedom * square(kPriorScatter) + squares) / (kPriorFreedom + freedom));
    slope_variance_ = square(scatter_) / (along + of_prior);
  }

  const std::map<int, Done>& done_;
  double deviation_ = kPriorDeviation;
  double freedom_ = 0;
  double on_line_ = 0;  ///< kinds
  double level_ = 0;
  double slope_ = 1;
  double middle_ = 0;  ///< of the logarithms of the weights
  double scatter_ = kPriorScatter;
  double slope_variance_ = square(kPriorSlopeDeviation);
};

void Steps::complete(double seconds) {
  const Step& step = to_come_.front();
  Done& done = done_of_kind_[step.kind];
  done.weight = step.weight;
  done.has_weight = !step.expected_s;
  done.seconds.push_back(std::max(seconds, 0.0));
  to_come_.pop_front();
  ++done_;
}

void Steps::skip() {
  to_come_.pop_front();
  ++done_;
}

std::optional<Range> Steps::range_over(std::size_t steps, double current_s,
                                       const std::optional<Range>& of_current) const {
  const Judge judge(done_of_kind_);
  std::map<int, double> known;
  std::vector<Step> unknown;
  Sum sum;
  const auto add = [&sum](const Sum& other) {
    sum.mean_s += other.mean_s;
    sum.variance += other.variance;
  };
  double first_s = 0;
  Range expected;  // of all steps of which nothing else is known: wrong for all of them together
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = to_come_[i];
    const std::optional<Range>& expected_s = of_current ? of_current : step.expected_s;
    if (judge.knows(step.kind)) {
      known[step.kind] += 1;
    } else if (expected_s) {
      expected.low += expected_s->low;
      expected.high += expected_s->high;
    } else if (judge.knows_any()) {
      unknown.push_back(step);
    } else {
      return std::nullopt;
    }
    if (i == 0) {
      first_s = judge.knows(step.kind) || !expected_s ? judge.seconds_of(step)
                                                      : (expected_s->low + expected_s->high) / 2;
    }
  }
  for (const auto& [kind, count] : known) {
    add(judge.of_known(kind, count));
  }
  add(judge.of_unknown(unknown));
  sum.variance += square(kDrift * sum.mean_s);
  const Range judged = range_of(sum.mean_s, sum.variance, judge.freedom());
  const Range all{judged.low + expected.low, judged.high + expected.high};
  // A step that has taken longer than was thought may take half as long again.
  const double passed = std::min(current_s, first_s);
  const double late = std::max(current_s - first_s, 0.0);
  return Range{std::max(all.low - passed, 0.0), std::max(all.high - passed, 0.0) + late / 2};
}

std::optional<Range> Steps::remaining_s(double current_s, std::optional<Range> of_current,
                                        std::size_t maybe_steps) const {
  if (to_come_.empty()) {
    return Range{};
  }
  const std::optional<Range> all = range_over(to_come_.size(), current_s, of_current);
  if (!all || maybe_steps == 0) {
    return all;
  }
  const std::size_t sure = to_come_.size() - std::min(maybe_steps, to_come_.size());
  const auto of_sure = sure > 0 ? range_over(sure, current_s, of_current) : Range{};
  return of_sure ? Range{of_sure->low, all->high} : all;
}

double Steps::fraction(double spent_s, const std::optional<Range>& remaining) const {
  if (to_come_.empty()) {
    return 1;
  }
  if (!remaining) {
    return static_cast<double>(done_) / static_cast<double>(done_ + to_come_.size());
  }
  const double rest = (remaining->low + remaining->high) / 2;
  return spent_s + rest > 0 ? spent_s / (spent_s + rest) : 0;
}

std::optional<Range> rest_of_search_s(double visits, double elapsed_s, const Range& all,
                                      double rate_deviation) {
  if (visits <= 0 || elapsed_s <= 0 || !(all.high >= visits)) {
    return std::nullopt;
  }
  const double middle = (all.low + all.high) / 2;
  const double rest = std::max(middle - visits, 0.0);
  const double s_per_visit = elapsed_s / visits;
  const double half_s = s_per_visit * (all.high - all.low) / 2;
  const double of_rate_s = 2 * rate_deviation * s_per_visit * rest;
  const double half = std::sqrt(square(half_s) + square(of_rate_s));
  return Range{std::max(s_per_visit * rest - half, 0.0), s_per_visit * rest + half};
}

void SearchRate::add(double elapsed_s, double visits) {
  if (elapsed_s > 2 * half_elapsed_s_) {
    half_elapsed_s_ = elapsed_s_;
    half_visits_ = visits_;
  }
  elapsed_s_ = elapsed_s;
  visits_ = visits;
}

std::optional<double> SearchRate::per_second() const {
  return visits_ > 0 && elapsed_s_ > 0 ? std::optional(visits_ / elapsed_s_) : std::nullopt;
}

double SearchRate::deviation() const {
  constexpr double kLeast = 0.05;
  if (half_visits_ <= 0 || elapsed_s_ <= half_elapsed_s_) {
    return 2 * kLeast;
  }
  const double late = (visits_ - half_visits_) / (elapsed_s_ - half_elapsed_s_);
  return std::max(kLeast, std::abs(late * elapsed_s_ / visits_ - 1));
}

std::string format_range(const Range& seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  const auto range = [&](double unit, const char* name) {
    const double low = seconds.low / unit;
    const double high = seconds.high / unit;
    const auto text = [high](double value) {
      return high < 10 && value >= 0.05 ? fmt::format("{:.1f}", value)
                                        : fmt::format("{:.0f}", value);
    };
    return text(low) == text(high) ? fmt::format("{} {}", text(high), name)
                                   : fmt::format("{} to {} {}", text(low), text(high), name);
  };
  if (seconds.high < 1) {
    return "less than 1 s";
  }
  return seconds.high < 2 * kMinute ? range(1, "s")
         : seconds.high < 2 * kHour ? range(kMinute, "min")
                                    : range(kHour, "h");
}

std::string format_duration(double seconds) {
  constexpr int kMinute = 60;
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < kMinute) {
    return fmt::format("{} s", whole);
  }
  if (whole < kMinute * kMinute) {
    return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  }
  return fmt::format("{} h {} min", whole / (kMinute * kMinute), whole / kMinute % kMinute);
}

}  // namespace cleave::detail
