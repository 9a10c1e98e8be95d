// SPDX-License-Identifier: Apache-2.0
#include "models/theory/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/memory.hpp"
#include "models/theory/prediction_json.hpp"

namespace cleave::models {

namespace {

constexpr double kSecondsPerHour = 3600;

bool fits(const PlanChoice& choice, const PlanRequest& request) {
  const std::optional<double> bytes = host_bytes(choice.prediction);
  return choice.prediction.is_answer() &&
         (!request.deadline_s ||
          (choice.prediction.knows_runs() && choice.prediction.run_high <= *request.deadline_s)) &&
         (!request.efficiency || choice.efficiency >= *request.efficiency) &&
         (!request.host_bytes || (bytes && *bytes <= *request.host_bytes));
}

/// The most that a rank of any fitted run needed.
double most_fitted_bytes(const Model& model) {
  double most = 0;
  for (const RunOfModel& run : model.fitted) {
    most = std::max(most, memory_bytes(*model.memory, run.ranks, run.sizes));
  }
  return most;
}

/// Says so where a rank needs more memory than that, but for rounding.
void remark_on_memory(Prediction& prediction, double fitted) {
  constexpr double kRounding = 1.05;
  if (prediction.memory_bytes.value_or(0) > kRounding * fitted) {
    prediction.remarks.push_back(
        fmt::format("memory is extrapolated: ranks of the fitted runs needed at most {:.0f} MiB",
                    fitted / (1 << 20)));
  }
}

}  // namespace

std::optional<double> host_bytes(const Prediction& prediction) {
  return prediction.memory_bytes
             ? std::optional(*prediction.memory_bytes *
                             std::min(prediction.ranks, prediction.ranks_per_host))
             : std::nullopt;
}

nlohmann::json to_json(const PlanChoice& choice) {
  nlohmann::json object = to_json(choice.prediction);
  object["speedup"] = choice.speedup;
  object["efficiency"] = choice.efficiency;
  object["core_hours"] = choice.core_hours;
  object["fits"] = choice.fits;
  if (const auto bytes = host_bytes(choice.prediction)) {
    object["memory_bytes_per_host"] = *bytes;
  }
  return object;
}

Plan make_plan(const Model& model, const PlanRequest& request) {
  if (!request.deadline_s && !request.efficiency) {
    throw UsageError("nothing to plan for: give --deadline, --efficiency or both");
  }
  if (request.host_bytes && !model.memory) {
    throw UsageError("--host-memory: no trace of this model says how much memory its ranks took");
  }
  PredictOptions of_one_rank = request.options;
  of_one_rank.ranks_per_host = 1;
  const double alone = predict(model, 1, request.sizes, of_one_rank).seconds;
  const double fitted_bytes = request.host_bytes ? most_fitted_bytes(model) : 0;
  Plan plan;
  for (const int ranks : request.ranks) {
    PlanChoice choice;
    try {
      choice.prediction = predict(model, ranks, request.sizes, request.options);
      if (request.host_bytes) {
        remark_on_memory(choice.prediction, fitted_bytes);
      }
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      if (plan.choices.empty()) {
        throw;
      }
      plan.left_out =
          fmt::format("{} and more are left out: {}", detail::format_ranks(ranks), e.what());
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

}  // namespace cleave::models
