// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

/// The most runs of `count` outside their 95 % intervals for which chance will do.
int allowed_misses(int count) {
  constexpr double kMiss = 0.05;
  const boost::math::binomial misses(count, kMiss);
  int allowed = 0;
  while (cdf(complement(misses, allowed)) > kMiss + 1e-12) {
    ++allowed;
  }
  return allowed;
}

/// How far the quiet time lies outside the interval, in half widths of it on its side; below 0
/// inside. The run's own spread is taken off.
double half_widths_outside(const JudgedRun& judged) {
  const Prediction& p = judged.prediction;
  const double off = std::log(judged.measured_s / p.seconds);
  const double half = off > 0 ? std::log(p.high / p.seconds) : std::log(p.seconds / p.low);
  return (std::abs(off) - judged.spread - half) / std::max(half, 1e-9);
}

/// How far its quiet time may lie from the prediction, relative, to count as inside.
double allowed_off(const JudgedRun& judged) {
  return judged.prediction.half_width() + judged.spread;
}

}  // namespace

JudgedRun judge_run(const Model& model, const RunPoint& run, const PredictOptions& options) {
  JudgedRun judged{.run = run,
                   .prediction = predict(model, run, options),
                   .measured_s = detail::median(run.seconds),
                   .spread = relative_spread(run.seconds)};
  judged.held_out =
      judged.prediction.is_rehearsed || std::ranges::none_of(model.fitted, [&](const RunPoint& of) {
        return of.ranks == run.ranks && of.threads == run.threads && of.sizes == run.sizes;
      });
  if (judged.measured_s > 0) {
    judged.relative_error = judged.prediction.seconds / judged.measured_s - 1;
    judged.inside = half_widths_outside(judged) <= 0;
  }
  return judged;
}

Verdict judge(const std::vector<JudgedRun>& runs) {
  constexpr double kFarOutside = 1;  // half widths
  constexpr double kWide = 0.15;
  Verdict verdict;
  std::vector<double> errors;
  std::vector<JudgedRun> held_out;
  for (const JudgedRun& judged : runs) {
    if (judged.held_out && judged.measured_s > 0) {
      held_out.push_back(judged);
      verdict.inside += judged.inside ? 1 : 0;
      errors.push_back(std::abs(judged.relative_error));
    }
  }
  if (held_out.empty()) {
    return verdict;
  }
  verdict.held_out = static_cast<int>(held_out.size());
  verdict.of_rehearsals = std::ranges::all_of(
      held_out, [](const JudgedRun& run) { return run.prediction.is_rehearsed; });
  verdict.median_error = detail::median(std::move(errors));
  const JudgedRun worst = std::ranges::max(held_out, {}, half_widths_outside);
  const auto middle = held_out.begin() + (std::ssize(held_out) - 1) / 2;
  std::ranges::nth_element(held_out, middle, {}, allowed_off);
  const bool holds = verdict.held_out - verdict.inside <= allowed_misses(verdict.held_out) &&
                     2 * verdict.inside > verdict.held_out &&
                     half_widths_outside(worst) <= kFarOutside;
  const bool is_wide = allowed_off(*middle) > kWide;
  verdict.trusted = holds && !is_wide;
  if (!holds) {
    const Prediction& p = worst.prediction;
    verdict.worst =
        fmt::format("{}, {} measured {}, predicted {} ({} to {})",
                    detail::format_ranks(worst.run.ranks), format_sizes(worst.run.sizes),
                    detail::format_seconds(worst.measured_s), detail::format_seconds(p.seconds),
                    detail::format_seconds(p.low), detail::format_seconds(p.high));
  } else if (is_wide) {
    verdict.worst =
        fmt::format("too uncertain, intervals of +-{:.0f} %", 100 * allowed_off(*middle));
  }
  if (!*verdict.trusted) {
    verdict.advice = "Better: " + narrower_by(holds ? middle->prediction : worst.prediction);
  }
  return verdict;
}

Verdict judge(const Model& model, const std::vector<RunPoint>& points,
              const PredictOptions& options) {
  std::vector<JudgedRun> judged;
  for (const RunPoint& point : points) {
    if (point.is_rehearsed) {
      continue;
    }
    try {
      judged.push_back(judge_run(model, point, options));
    } catch (const Error&) {
      continue;  // a part was refused, and the model says so
    }
  }
  return judge(judged);
}

std::string narrower_by(const Prediction& p) {
  if (!p.is_rehearsed) {
    return "measure sizes that differ more, nearer to those asked about, or more rounds (--rounds)";
  }
  return p.ranks == 1 || p.half_width_of_blocks > p.half_width_of_measured / 2
             ? "rehearse for longer (--budget)"
             : fmt::format(
                   "calibrate the network there (mpiexec -n {} cleave-calibrate --out "
                   "there.machine.json) and give it by --machine there.machine.json",
                   p.ranks);
}

}  // namespace cleave::models
