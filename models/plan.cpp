#include "models/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr double kSecondsPerHour = 3600;

bool fits(const PlanChoice& choice, const PlanRequest& request) {
  return (!request.deadline_s || choice.forecast.high <= *request.deadline_s) &&
         (!request.efficiency || choice.efficiency >= *request.efficiency);
}

/// A tenth more. (A factor of 1.1, which no binary number is, would round exact minutes up.)
double with_margin(double value) { return value + value / 10; }

/// D-HH:MM:SS, rounded up to the minute, as Slurm takes it.
std::string time_limit(double seconds) {
  const auto minutes = static_cast<long long>(std::ceil(seconds / 60));
  const long long days = minutes / (24 * 60);
  const std::string clock = fmt::format("{:02}:{:02}:00", minutes / 60 % 24, minutes % 60);
  return days > 0 ? fmt::format("{}-{}", days, clock) : clock;
}

}  // namespace

Plan make_plan(const Model& model, const PlanRequest& request) {
  if (!request.deadline_s && !request.efficiency) {
    throw UsageError("nothing to plan for: give --deadline, --efficiency or both");
  }
  PredictOptions of_one_rank = request.options;
  of_one_rank.ranks_per_host = 1;
  const double alone = forecast(model, 1, request.sizes, of_one_rank, request.composition).seconds;
  Plan plan;
  for (const int ranks : request.ranks) {
    PlanChoice choice{
        .forecast = forecast(model, ranks, request.sizes, request.options, request.composition)};
    const double seconds = choice.forecast.seconds;
    choice.speedup = seconds > 0 ? alone / seconds : 1;
    choice.efficiency = choice.speedup / ranks;
    choice.core_hours = seconds * ranks * choice.forecast.prediction.threads / kSecondsPerHour;
    choice.fits = fits(choice, request);
    const bool is_first = !plan.chosen;
    if (choice.fits && (is_first || !request.deadline_s)) {
      plan.chosen = plan.choices.size();
    }
    plan.choices.push_back(std::move(choice));
  }
  return plan;
}

double parse_duration(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * scale;
  if (error != std::errc() || !(seconds > 0) || seconds > 1e9) {
    throw UsageError(
        fmt::format("'{}' is not a time above 0: give seconds, or 90s, 15m, 1.5h", text));
  }
  return seconds;
}

std::string slurm_script(const Model& model, const PlanChoice& choice, int ranks_per_host) {
  constexpr double kStartSeconds = 60;
  const Prediction& p = choice.forecast.prediction;
  const int tasks_per_node = std::min(p.ranks, ranks_per_host);
  std::string script = fmt::format(
      "#!/bin/bash\n"
      "# Predicted: {:.4g} s, with 95 % probability from {:.4g} to {:.4g} s{}.\n"
      "#SBATCH --job-name=cleave-{}\n"
      "#SBATCH --nodes={}\n"
      "#SBATCH --ntasks={}\n"
      "#SBATCH --ntasks-per-node={}\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --time={}\n",
      choice.forecast.seconds, choice.forecast.low, choice.forecast.high,
      p.outside_fitted_range ? ", beyond what was measured" : "", model.app,
      (p.ranks + tasks_per_node - 1) / tasks_per_node, p.ranks, tasks_per_node, p.threads,
      time_limit(with_margin(choice.forecast.high) + kStartSeconds));
  if (choice.forecast.memory_bytes) {
    script += fmt::format("#SBATCH --mem-per-cpu={}M\n",
                          static_cast<long long>(std::ceil(
                              with_margin(*choice.forecast.memory_bytes) / p.threads / (1 << 20))));
  }
  std::string sizes;
  for (const auto& [name, value] : p.sizes) {
    sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ",", name, format_count(value));
  }
  // What is searched has no size that could be asked for: it is given to sbatch.
  const std::string what = model.type == "work_stealing"
                               ? fmt::format("\"$@\"  # sbatch's arguments: what has {}", sizes)
                               : "--size " + sizes;
  script += fmt::format(
      "srun cleave-{} --type {} --placement {} --threads {} --warm-up 0 --repetitions 1 {}\n",
      model.app, model.type, model.placement, p.threads, what);
  return script;
}

}  // namespace cleave
