// SPDX-License-Identifier: Apache-2.0
#include "models/theory/verdict.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cleave::models {

std::string Verdict::sentence() const {
  if (!trusted) {
    return "not judged: no run was held out from the fit (--hold-out every-second)";
  }
  const std::string count =
      fmt::format("{} of {} held-out {} in {}, median error {:.1f} %", inside, held_out,
                  held_out == 1 ? "run" : "runs",
                  held_out == 1 ? "its interval" : "their intervals", 100 * median_error);
  return *trusted ? "trusted: " + count
                  : fmt::format("not trusted: {}; {}. {}", worst, count, advice);
}

nlohmann::json to_json(const Verdict& verdict) {
  return {{"trusted", verdict.trusted ? nlohmann::json(*verdict.trusted) : nlohmann::json()},
          {"held_out", verdict.held_out},
          {"inside", verdict.inside},
          {"median_error", verdict.median_error},
          {"worst", verdict.worst},
          {"advice", verdict.advice},
          {"sentence", verdict.sentence()}};
}

Verdict verdict_from(const detail::JsonFields& fields) {
  Verdict verdict{.held_out = fields.integer<int>("held_out", 0),
                  .inside = fields.integer<int>("inside", 0),
                  .median_error = fields.non_negative("median_error"),
                  .worst = fields.text("worst"),
                  .advice = fields.text("advice")};
  if (verdict.held_out > 0) {
    verdict.trusted = fields.boolean("trusted");
  }
  return verdict;
}

}  // namespace cleave::models
