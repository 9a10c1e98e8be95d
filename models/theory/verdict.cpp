// SPDX-License-Identifier: Apache-2.0
#include "models/theory/verdict.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cleave::models {

std::string Verdict::sentence(bool by_law) const {
  if (!trusted) {
    return "not judged: " +
           (advice.empty() ? "no run was held out from the fit (--hold-out every-second)" : advice);
  }
  const std::string count =
      fmt::format("{} of {} held-out {} in {}, median error {:.1f} %", inside, held_out,
                  held_out == 1 ? "run" : "runs",
                  held_out == 1 ? "its interval" : "their intervals", 100 * median_error);
  if (!*trusted) {
    return fmt::format("not trusted: {}; {}. {}", worst, count, advice);
  }
  return fmt::format("trusted: {}{}", count,
                     of_rehearsals && by_law
                         ? "; all were rehearsed, the law of other sizes and ranks is not judged "
                           "(cleave fit FOLDER --hold-out every-second does)"
                         : "");
}

nlohmann::json to_json(const Verdict& verdict, bool by_law) {
  return {{"trusted", verdict.trusted ? nlohmann::json(*verdict.trusted) : nlohmann::json()},
          {"held_out", verdict.held_out},
          {"inside", verdict.inside},
          {"median_error", verdict.median_error},
          {"worst", verdict.worst},
          {"advice", verdict.advice},
          {"of_rehearsals", verdict.of_rehearsals},
          {"sentence", verdict.sentence(by_law)}};
}

Verdict verdict_from(const detail::JsonFields& fields) {
  Verdict verdict{.held_out = fields.integer<int>("held_out", 0),
                  .inside = fields.integer<int>("inside", 0),
                  .median_error = fields.non_negative("median_error"),
                  .worst = fields.text("worst"),
                  .advice = fields.text("advice"),
                  .of_rehearsals = fields.has("of_rehearsals") && fields.boolean("of_rehearsals")};
  if (verdict.held_out > 0) {
    verdict.trusted = fields.boolean("trusted");
  }
  return verdict;
}

}  // namespace cleave::models
