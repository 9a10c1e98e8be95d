// SPDX-License-Identifier: Apache-2.0
// What a user asks first: how long a run takes, how certain that is, and what holds it back.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/predict/prediction.hpp"

namespace cleave::models {

/// Seconds by block, all levels added up, in the order in which the blocks come.
std::vector<std::pair<std::string_view, double>> seconds_by_block(const Prediction& prediction);

/// One line: "N=1G on 64 ranks: 1.2 s (95 %: 1.0 to 1.5 s), 33 % of it divide; beyond what was
/// measured".
std::string answer_line(const Prediction& prediction);

/// What the largest problem that was measured takes on 2, 8 and 64 ranks, one line each. Messages
/// between hosts that nobody measured are those of kAssumedForAnswers, and the line says so.
std::vector<std::string> answer_lines(const Model& model, const PredictOptions& options = {});

/// The same problem on 1, 2, 4 ... 64 ranks, those that can be predicted.
std::vector<Prediction> examples_of(const Model& model, const PredictOptions& options = {});

/// The sizes of the largest problem that was measured.
NamedSizes largest_measured(const Model& model);

inline constexpr const char* kAssumedForAnswers = "ethernet-10g";

}  // namespace cleave::models
