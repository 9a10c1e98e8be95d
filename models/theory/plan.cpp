// SPDX-License-Identifier: Apache-2.0
#include "models/theory/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::models {

namespace {

bool fits(const PlanChoice& choice, const PlanRequest& request) {
  const Prediction& p = choice.prediction;
  return p.is_answer() &&
         (!request.deadline_s || (p.knows_runs() && p.run_high <= *request.deadline_s)) &&
         (!request.efficiency || choice.efficiency >= *request.efficiency) &&
         (!request.host_bytes ||
          p.host_bytes().value_or(*request.host_bytes + 1) <= *request.host_bytes);
}

/// Says so where a rank needs more memory than the ranks of any fitted run, but for rounding.
void remark_on_memory(Prediction& prediction, const Model& model) {
  constexpr double kRounding = 1.05;
  double fitted = 0;
  for (const RunOfModel& run : model.fitted) {
    fitted = std::max(fitted, memory_bytes(*model.memory, run.ranks, run.sizes).value_or(0));
  }
  if (prediction.memory_bytes.value_or(0) > kRounding * fitted) {
    prediction.remarks.push_back(
        fmt::format("memory is extrapolated: ranks of the fitted runs needed at most {:.0f} MiB",
                    fitted / (1 << 20)));
  }
}

}  // namespace

Plan make_plan(const Model& model, const PlanRequest& request) {
  constexpr double kSecondsPerHour = 3600;
  if (!request.deadline_s && !request.efficiency) {
    throw UsageError("nothing to plan for: give --deadline, --efficiency or both");
  }
  if (request.host_bytes && !model.memory) {
    throw UsageError("--host-memory: no trace of this model says how much memory its ranks took");
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
      plan.left_out =
          fmt::format("{} and more are left out: {}", detail::format_ranks(ranks), e.what());
      break;
    }
    if (request.host_bytes) {
      remark_on_memory(choice.prediction, model);
    }
    const double seconds = choice.prediction.seconds;
    choice.speedup = alone / seconds;
    choice.efficiency = choice.speedup / ranks;
    choice.core_hours = seconds * ranks * choice.prediction.threads / kSecondsPerHour;
    choice.fits = fits(choice, request);
    if (choice.fits && (!plan.chosen || !request.deadline_s)) {
      plan.chosen = plan.choices.size();
    }
    plan.choices.push_back(std::move(choice));
  }
  return plan;
}

}  // namespace cleave::models
