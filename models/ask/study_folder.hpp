// SPDX-License-Identifier: Apache-2.0
// A study's folder in place of its files: its model, its traces, its machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/theory/model.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

/// Whether `path` is a folder; no if it cannot be looked at.
bool is_folder(const std::filesystem::path& path);

/// `path`, or the one *.model.json in it if it is a folder.
/// \throws FileError  if the folder holds none or several, which it lists
std::filesystem::path model_of(const std::filesystem::path& path);

/// What the host did while the runs in `folder` were made, as the model there says; empty without
/// one.
std::string host_told_in(const std::filesystem::path& folder);

/// The one *.model.json in `folder`, or where `app`'s would be if there is none.
/// \throws FileError  if there are several
std::filesystem::path model_to_write(const std::filesystem::path& folder, const std::string& app);

/// `path`, or the one *.machine.json in it if it is a folder. \throws FileError
std::filesystem::path machine_of(const std::filesystem::path& path);

/// The one *.machine.json in `folder`, if any. \throws FileError  if there are several
std::optional<std::filesystem::path> machine_if_any(const std::filesystem::path& folder);

/// `paths`, with for each folder all *.trace.jsonl in its traces/, or in itself where it has none.
/// \throws FileError  if a folder has no traces
std::vector<std::string> traces_of(const std::vector<std::string>& paths);

/// What a study has rehearsed in its folder, if any; nothing where `folder` is empty.
/// \throws UsageError  if that is of another application, type or placement than `model`
std::vector<RehearsedRun> rehearsed_in(const std::filesystem::path& folder, Model model);

/// The messages that a study was given. \throws UsageError  the same
std::vector<MeasuredMessages> messages_in(const std::filesystem::path& folder, const Model& model);

/// The folder among `paths` that is the only one of them.
std::optional<std::filesystem::path> only_folder(const std::vector<std::string>& paths);

}  // namespace cleave::models
