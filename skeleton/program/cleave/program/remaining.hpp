// SPDX-License-Identifier: Apache-2.0
// When work ends that is made of steps, some of which are done: how much time remains, as a range
// that holds the truth in 95 of 100 cases. Arithmetic alone: no clock, no MPI.
//
// Steps of one kind take about the same time. A kind of which none is done yet is judged by those
// that are: the logarithm of a step's time is taken as linear in that of its weight. Its slope is
// near 1, and the data may say otherwise (regression with a normal prior). Deviations are pooled
// over kinds, and few of them are mixed with a prior one. The range is that of a sum with
// logarithmic deviation, so its lower end is never negative.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cleave::detail {

/// From `low` to `high`, with 95 % probability.
struct Range {
  double low = 0;
  double high = 0;
};

/// Of a sum with that mean and variance, where `freedom` deviations told the variance.
/// \pre  mean >= 0, freedom >= 1
Range range_of(double mean, double variance, double freedom);

/// Steps of work, done one after the other.
class Steps {
 public:
  struct Step {
    int kind = 0;       ///< steps of one kind take the same time, but for chance
    double weight = 1;  ///< about in proportion to its time; above 0
    /// What is known of its time beforehand, in seconds; used while no step of its kind is done.
    /// Such a kind says nothing of others, and has no weight.
    std::optional<Range> expected_s = {};
  };

  /// Adds a step after all others.
  void add(const Step& step) { to_come_.push_back(step); }
  /// The current step is done, after so many seconds.
  void complete(double seconds);
  /// The current step need not be done.
  void skip();
  /// No steps are to come any more, until others are added.
  void forget_to_come() { to_come_.clear(); }

  std::size_t done() const { return done_; }
  std::size_t to_come() const { return to_come_.size(); }

  /// Seconds that all steps to come take, when the current one has begun `current_s` ago; nothing
  /// if no step is done and nothing is expected.
  /// \param of_current  what is known of the whole time of the current step and of all steps of
  ///                    kinds that are not done yet
  /// \param maybe_steps  how many of the last steps are not sure to come: the lower end is without
  ///                     them
  std::optional<Range> remaining_s(double current_s, std::optional<Range> of_current = {},
                                   std::size_t maybe_steps = 0) const;

  /// The part of all time that has passed, in [0, 1], with `spent_s` spent so far; by the number
  /// of steps where no time is known.
  double fraction(double spent_s, const std::optional<Range>& remaining) const;

 private:
  struct Sum;
  class Judge;

  std::optional<Range> range_over(std::size_t steps, double current_s,
                                  const std::optional<Range>& of_current) const;

  struct Done {
    double weight = 1;
    bool has_weight = true;
    std::vector<double> seconds;
  };

  std::deque<Step> to_come_;
  std::map<int, Done> done_of_kind_;
  std::size_t done_ = 0;
};

/// Seconds that remain of a search that has made `visits` in `elapsed_s`, of `all` in the end.
/// \param rate_deviation  of its visits a second, relative
/// \return  nothing while no visit is known, or if it has made more than `all.high`
std::optional<Range> rest_of_search_s(double visits, double elapsed_s, const Range& all,
                                      double rate_deviation);

/// How many nodes a second a search visits, and how steadily.
class SearchRate {
 public:
  void add(double elapsed_s, double visits);
  /// Nothing before the first visit.
  std::optional<double> per_second() const;
  /// Relative, of the mean rate of what is to come; not below what machines vary by anyway.
  double deviation() const;

 private:
  double elapsed_s_ = 0;
  double visits_ = 0;
  double half_elapsed_s_ = 0;  ///< at about half of `elapsed_s_`
  double half_visits_ = 0;
};

/// "31 to 36 s", "3 to 5 min", "1.5 to 2.1 h", "less than 1 s".
std::string format_range(const Range& seconds);

/// "12 s", "3 min 20 s", "2 h 5 min".
std::string format_duration(double seconds);

}  // namespace cleave::detail
