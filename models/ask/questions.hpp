// SPDX-License-Identifier: Apache-2.0
// What the commands that ask a model something have in common: predict and plan.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// The options of a question, and the model that they make.
struct QuestionArguments {
  std::string study;  ///< its folder, or a model
  std::string model;
  std::string machine;
  std::string what_if;
  std::string ranks_per_host;
  std::optional<int> threads;

  /// Adds the options of these names. Refers to this object.
  void add_to(CLI::App& command);

  /// \throws UsageError  with an example if there is no model, or two
  void require_model(const std::string& example) const;

  /// The model as asked about: on another machine, with other constants.
  /// \throws UsageError, FileError
  Model read() const;
  /// With what the study's folder holds of rehearsals, which --what-if does not change, and of
  /// measured messages. \throws UsageError, FileError
  PredictOptions options(const Model& model) const;
};

/// "32M (33554432)" for each size, joined by commas.
std::string sizes_text(const NamedSizes& sizes);

/// "inside" or "outside"; with details the cache that data has left, and a network that is assumed:
/// "outside, past 32 MiB cache, ethernet-10g assumed".
std::string fitted_range_text(const Prediction& prediction, bool has_details);

}  // namespace cleave::models
