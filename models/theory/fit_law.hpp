// SPDX-License-Identifier: Apache-2.0
// The one fit: observations to a law, by a posterior over few forms with prices, in which every
// observation may have been disturbed throughout (docs/explanation/model.md, "The law").
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/law.hpp"
#include "models/theory/least_squares.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

enum class Weights {
  relative,  ///< residuals count relative to what was measured
  ordinary,  ///< residuals count in their unit: the largest runs decide, as in the paper
};

/// What no form explains of a value, relative.
inline constexpr double kFloor = 0.02;
/// Of the floor, in observations. Chosen as the constants in fit_law.cpp.
inline constexpr double kFirmness = 4;

/// The posterior of `forms`. A form that needs a negative coefficient is dropped; where there is
/// one form only, it is prescribed, and the coefficient is 0. The result does not depend on the
/// order of the observations, and scales with their unit. Cost: 28 solutions of a least squares
/// problem for each form.
///
/// Refused: no observation; a prescribed form with fewer run sizes than coefficients and one more,
/// or whose columns depend on each other.
std::variant<Law, Refusal> fit_law(std::vector<Observation> observations,
                                   const std::vector<PricedForm>& forms,
                                   Weights weights = Weights::relative, double floor = kFloor);

/// How well forms explain `observations`, by three steps of the fit: the logarithm of the evidence,
/// also where a coefficient is still negative.
std::function<double(const Form&)> first_look(std::vector<Observation> observations);

/// Sizes that are in every observation and take more than one value.
std::vector<std::string> varying_sizes(const std::vector<Observation>& observations);

}  // namespace cleave::models
