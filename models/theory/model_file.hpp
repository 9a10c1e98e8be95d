// SPDX-License-Identifier: Apache-2.0
// Model files (*.model.json): all that a prediction needs (docs/reference/formats.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/theory/model.hpp"

namespace cleave::models {

inline constexpr int kModelVersion = 15;

/// The text of a model file.
std::string model_text(const Model& model);

/// \throws FileError
void write_model(const std::filesystem::path& path, const Model& model);

/// \throws FileError  naming the field
Model read_model(const std::filesystem::path& path);
/// The model `text`, which came from `path`.
Model model_from(const std::filesystem::path& path, std::string_view text);

}  // namespace cleave::models
