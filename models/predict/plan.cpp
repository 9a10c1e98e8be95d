// SPDX-License-Identifier: Apache-2.0
#include "models/predict/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "models/traces/files.hpp"

namespace cleave::models {

namespace {

constexpr double kSecondsPerHour = 3600;

bool fits(const PlanChoice& choice, const PlanRequest& request) {
  return (!request.deadline_s || choice.prediction.high <= *request.deadline_s) &&
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

/// As one word of a shell.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-";
  if (text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

/// `app` as a line of #SBATCH can hold it, where nothing is quoted.
std::string job_name(std::string app) {
  for (char& c : app) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    c = is_plain ? c : '_';
  }
  return app;
}

/// "N=1M,M=2M"
std::string sizes_option(const NamedSizes& sizes) {
  std::vector<std::string> words;
  for (const auto& [name, value] : sizes) {
    words.push_back(fmt::format("{}={}", name, format_count(value)));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace

Plan make_plan(const Model& model, const PlanRequest& request) {
  if (!request.deadline_s && !request.efficiency) {
    throw UsageError("nothing to plan for: give --deadline, --efficiency or both");
  }
  PredictOptions of_one_rank = request.options;
  of_one_rank.ranks_per_host = 1;
  const double alone = predict(model, 1, request.sizes, of_one_rank).seconds;
  Plan plan;
  for (const int ranks : request.ranks) {
    PlanChoice choice;
    try {
      choice.prediction = predict(model, ranks, request.sizes, request.options);
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      if (plan.choices.empty()) {
        throw;
      }
      plan.left_out = fmt::format("{} and more are left out: {}", format_ranks(ranks), e.what());
      break;
    }
    const double seconds = choice.prediction.seconds;
    choice.speedup = seconds > 0 ? alone / seconds : 1;
    choice.efficiency = choice.speedup / ranks;
    choice.core_hours = seconds * ranks * choice.prediction.threads / kSecondsPerHour;
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
  const double scale = unit == "ms"                  ? 1e-3
                       : unit.empty() || unit == "s" ? 1
                       : unit == "m"                 ? 60
                       : unit == "h"                 ? kSecondsPerHour
                                                     : 0;
  const double seconds = value * scale;
  if (error != std::errc() || !(seconds > 0) || seconds > 1e9) {
    throw UsageError(
        fmt::format("'{}' is not a time above 0: give seconds, or 20ms, 90s, 15m, 1.5h", text));
  }
  return seconds;
}

std::string slurm_script(const Model& model, const PlanChoice& choice) {
  constexpr double kStartSeconds = 60;
  const Prediction& p = choice.prediction;
  const int tasks_per_node = p.ranks_per_host;
  std::string script = fmt::format(
      "#!/bin/bash\n"
      "# Predicted: {:.4g} s, with 95 % probability from {:.4g} to {:.4g} s{}.\n"
      "#SBATCH --job-name=cleave-{}\n"
      "#SBATCH --nodes={}\n"
      "#SBATCH --ntasks={}\n"
      "#SBATCH --ntasks-per-node={}\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --time={}\n",
      choice.prediction.seconds, choice.prediction.low, choice.prediction.high,
      p.outside_fitted_range ? ", beyond what was measured" : "", job_name(model.app),
      (p.ranks + tasks_per_node - 1) / tasks_per_node, p.ranks, tasks_per_node, p.threads,
      time_limit(with_margin(choice.prediction.high) + kStartSeconds));
  if (choice.prediction.memory_bytes) {
    script +=
        fmt::format("#SBATCH --mem-per-cpu={}M\n",
                    static_cast<long long>(std::ceil(with_margin(*choice.prediction.memory_bytes) /
                                                     p.threads / (1 << 20))));
  }
  script += fmt::format("srun {} --type {} --placement {} --threads {} --warm-up 0 --repetitions 1",
                        quoted("cleave-" + model.app), quoted(model.type), quoted(model.placement),
                        p.threads);
  for (const auto& [name, value] : model.options) {
    if (name != "size" && !value.empty()) {
      script +=
          fmt::format(" {} {}", quoted((name.size() == 1 ? "-" : "--") + name), quoted(value));
    }
  }
  const auto is_given = [&](const auto& size) { return model.given_sizes.contains(size.first); };
  NamedSizes given;
  std::copy_if(p.sizes.begin(), p.sizes.end(), std::inserter(given, given.end()), is_given);
  // A problem that is not made to a size, as from a file, is given to sbatch.
  script += given.empty()
                ? fmt::format(" \"$@\"  # sbatch's arguments: what has {}\n", sizes_option(p.sizes))
                : fmt::format(" --size {}\n", sizes_option(given));
  return script;
}

}  // namespace cleave::models
