// SPDX-License-Identifier: Apache-2.0
// Model files (*.model.json): everything that a prediction needs. And predictions as `cleave
// predict --json` prints them and the page of a report reads them. docs/reference/formats.md
// describes each field.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

inline constexpr int kModelVersion = 13;

/// The text of a model file.
std::string model_text(const Model& model);

/// \throws FileError
void write_model(const std::filesystem::path& path, const Model& model);

/// \throws FileError  naming the field
Model read_model(const std::filesystem::path& path);
/// The model `text`, which came from `path`.
Model model_from(const std::filesystem::path& path, std::string_view text);

/// Seconds and bytes; fields that a prediction has not are left out.
nlohmann::json to_json(const Prediction& prediction);
/// All of the prediction, and the rest beside it.
nlohmann::json to_json(const PlanChoice& choice);
nlohmann::json to_json(const JudgedRun& judged);
nlohmann::json to_json(const Verdict& verdict, bool by_law = false);

}  // namespace cleave::models
