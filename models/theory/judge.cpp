// SPDX-License-Identifier: Apache-2.0
#include "models/theory/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <cleave/trace/duration.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// How often a 95 % interval may miss.
constexpr double kMiss = 0.05;

/// The most runs of `count` outside their 95 % intervals for which chance will do.
int allowed_misses(int count) {
  double probability = std::pow(1 - kMiss, count);  // of exactly `misses`
  double beyond = 1 - probability;
  int misses = 0;
  while (beyond > kMiss + 1e-12) {
    probability *= (count - misses) * kMiss / ((misses + 1) * (1 - kMiss));
    beyond -= probability;
    ++misses;
  }
  return misses;
}

/// How far the quiet time lies outside the interval, in half widths of it on its side; below 0
/// inside. The run's own spread is taken off.
double half_widths_outside(const JudgedRun& judged) {
  const Prediction& p = judged.prediction;
  const double off = std::log(judged.measured_s / p.seconds);
  const double half = off > 0 ? std::log(p.high / p.seconds) : std::log(p.seconds / p.low);
  return (std::abs(off) - judged.spread - half) / std::max(half, 1e-9);
}

std::string text_of(const JudgedRun& judged) {
  const Prediction& p = judged.prediction;
  return fmt::format("{}, {} measured {}, predicted {} ({} to {})",
                     detail::format_ranks(judged.run.ranks), format_sizes(judged.run.sizes),
                     detail::format_seconds(judged.measured_s), detail::format_seconds(p.seconds),
                     detail::format_seconds(p.low), detail::format_seconds(p.high));
}

std::string advice_for(const JudgedRun& judged) {
  constexpr double kMuch = 0.05;
  if (!judged.prediction.is_answer()) {
    return "So wide an interval is no answer: measure sizes that differ more, or more rounds "
           "(--rounds)";
  }
  const std::vector<double>& seconds = judged.run.seconds;
  const double slower = detail::median(seconds) / judged.measured_s - 1;
  if (slower > kMuch) {
    return fmt::format(
        "The host was busy then (half of the repetitions took {:.0f} % longer): measure again on "
        "an idle one, or more rounds (--rounds)",
        100 * slower);
  }
  if (judged.measured_s > judged.prediction.high) {
    return "Either the host was busy then: measure again on an idle one. Or the time depends on "
           "something else than the sizes, which costs() can declare";
  }
  return "Measure sizes nearer to those that you ask for; where a time depends on something else "
         "than the sizes, declare it by costs()";
}

}  // namespace

nlohmann::json to_json(const JudgedRun& judged) {
  return {{"ranks", judged.run.ranks},
          {"threads", judged.run.threads},
          {"sizes", judged.run.sizes},
          {"measured", judged.measured_s},
          {"spread", judged.spread},
          {"predicted", judged.prediction.seconds},
          {"interval", {judged.prediction.low, judged.prediction.high}},
          {"inside", judged.inside},
          {"relative_error", judged.relative_error},
          {"held_out", judged.held_out}};
}

JudgedRun judge_run(const Model& model, const RunPoint& run, const PredictOptions& options) {
  JudgedRun judged{.run = run,
                   .prediction = predict(model, run, options),
                   .measured_s = quiet_time(run.seconds)};
  judged.held_out = judged.prediction.is_rehearsed || !model.is_fitted_to(run);
  const std::vector<double> quiet = faster_half(run.seconds);
  judged.spread = relative_spread(quiet);
  if (judged.measured_s > 0) {
    judged.relative_error = judged.prediction.seconds / judged.measured_s - 1;
    judged.inside = half_widths_outside(judged) <= 0;
  }
  return judged;
}

Verdict judge(const std::vector<JudgedRun>& runs) {
  Verdict verdict;
  std::vector<double> errors;
  const JudgedRun* worst = nullptr;
  const JudgedRun* unanswered = nullptr;
  int not_answered = 0;
  for (const JudgedRun& judged : runs) {
    if (!judged.held_out || !(judged.measured_s > 0)) {
      continue;
    }
    ++verdict.held_out;
    verdict.inside += judged.inside ? 1 : 0;
    errors.push_back(std::abs(judged.relative_error));
    if (worst == nullptr || half_widths_outside(judged) > half_widths_outside(*worst)) {
      worst = &judged;
    }
    if (!judged.prediction.is_answer()) {
      unanswered = &judged;
      ++not_answered;
    }
  }
  if (worst == nullptr) {
    return verdict;
  }
  constexpr double kFarOutside = 1;  // half widths
  verdict.median_error = detail::median(std::move(errors));
  const bool answers = 2 * not_answered <= verdict.held_out;
  verdict.trusted = answers &&
                    verdict.held_out - verdict.inside <= allowed_misses(verdict.held_out) &&
                    half_widths_outside(*worst) <= kFarOutside;
  worst = answers ? worst : unanswered;
  if (!*verdict.trusted) {
    verdict.worst = text_of(*worst);
    verdict.advice = advice_for(*worst);
  }
  return verdict;
}

}  // namespace cleave::models
