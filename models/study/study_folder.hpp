// SPDX-License-Identifier: Apache-2.0
// The folder of a study: where its files lie, and what stands for them where it alone is given.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

inline constexpr const char* kMachineOfStudy = "this.machine.json";  ///< the runs were on it
inline constexpr const char* kTracesOfStudy = "traces";              ///< of runs
inline constexpr const char* kRehearsalsOfStudy = "rehearsals";      ///< their traces
inline constexpr const char* kMadeBy = "made_by.txt";                ///< the launcher or host
inline constexpr std::string_view kTraceEnding = ".trace.jsonl";

/// Makes the folder, and keeps others out of it until the result goes or the process ends.
/// \throws FileError  naming the process and the host that has it
std::shared_ptr<void> own_folder(const std::filesystem::path& folder);

/// Whether `path` is a folder; no if it cannot be looked at.
bool is_folder(const std::filesystem::path& path);

/// The files in `folder` whose names have this ending, by name; none where there is no such folder.
std::vector<std::filesystem::path> files_with(const std::filesystem::path& folder,
                                              std::string_view ending);

/// `path`, or the one *.model.json in it if it is a folder.
/// \throws FileError  if the folder holds none or several, which it lists
std::filesystem::path model_of(const std::filesystem::path& path);

/// The one *.model.json in `folder`, or where `app`'s would be if there is none.
/// \throws FileError  if there are several
std::filesystem::path model_to_write(const std::filesystem::path& folder, const std::string& app);

/// `path`, or the one *.machine.json in it if it is a folder, or where it would be.
/// \throws FileError  if there are several
std::filesystem::path machine_of(const std::filesystem::path& path);

/// `paths`, with for each folder all *.trace.jsonl in its traces/, or in itself where it has none.
/// \throws FileError  if a folder has no traces
std::vector<std::string> traces_of(const std::vector<std::string>& paths);

}  // namespace cleave::models
